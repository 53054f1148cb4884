import { runInNewContext } from 'node:vm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperationRequest } from '../../src/types.js';
import { makeDriver, nonPluginLease, on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';
import { expectUnnoticed, playInstrumented, playPlain, SPANS } from './harness.js';
import { revoked, untouchable } from './inject.js';

const throwing = (error: unknown) => () => {
  throw error;
};
/** An error that says nothing of itself without throwing another one. */
const secretive = Object.defineProperty(new Error('mine'), 'constructor', { get: throwing(new Error('no')) });

/** What hooks do, and the class of the error that is reported. */
const FAILING: [what: string, hook: (span: unknown) => unknown, reported: string][] = [
  ['throws an error', throwing(new RangeError('my secret')), 'RangeError'],
  ['throws a text', throwing('my secret'), 'string'],
  ['throws nothing', throwing(undefined), 'undefined'],
  ['throws an error that cannot be read', throwing(secretive), 'unreadable error'],
  ['throws a revoked proxy', throwing(revoked(new Error('my secret'))), 'unreadable error'],
  ['rejects', async () => throwing(new RangeError('my secret'))(), 'RangeError'],
  ['rejects with a revoked proxy', () => Promise.reject(revoked()), 'unreadable error'],
  ['rejects in another realm', () => runInNewContext('Promise.reject("my secret")'), 'string'],
  [
    'rejects with a promise that cannot be handled by its own methods',
    () => Object.assign(Promise.reject('my secret'), { catch: 7, [Symbol.toPrimitive]: 7 }),
    'string',
  ],
];
const HARMLESS: [what: string, hook: (span: never, info: never) => unknown][] = [
  ['never settles', () => new Promise(() => {})],
  ['returns what throws at every touch', () => untouchable()],
  ['returns a revoked proxy', () => revoked()],
  ['returns a thenable that throws', () => Object.defineProperty({}, 'then', { get: throwing(new Error()) })],
  ['empties the list of arguments', (_span, { args }: { args: unknown[] }) => args.splice(0)],
  ['exchanges the arguments', (_span, { args }: { args: unknown[] }) => args.fill('other')],
  ['ends the span', (span: { end(): void }) => span.end()],
];

let plain: string[];
beforeAll(async () => {
  plain = await playPlain();
});

describe('hooks', () => {
  let telemetry: TestTelemetry;
  beforeEach(() => {
    telemetry = new TestTelemetry();
  });

  it('are told of the request and of the response, once for an operation', async () => {
    const calls: unknown[] = [];
    const instrumentation = telemetry.instrument({
      requestHook: (span, request) => {
        span.setAttribute('mine', 'yes');
        calls.push(request);
      },
      responseHook: (_span, response) => calls.push(response),
    });
    const driver = instrumentation.instrumentDriver(makeDriver());
    const input = on();
    const result = await driver.execute(input);
    const refused = on(nonPluginLease);
    const error = await driver.openDuplexChannel(refused).catch((caught: unknown) => caught);
    expect(calls).toEqual([
      { operation: 'execute', args: [input] },
      { operation: 'execute', args: [input], result },
      { operation: 'open_duplex_channel', args: [refused] },
      { operation: 'open_duplex_channel', args: [refused], error },
    ]);
    expect((calls as OperationRequest[])[0]?.args[0]).toBe(input);
    expect(telemetry.spans()[0]?.attributes.mine).toBe('yes');
  });
});

describe.each(['requestHook', 'responseHook'] as const)('a %s', (name) => {
  it.each(FAILING)('that %s goes unnoticed, but for one line', async (_what, hook, reported) => {
    const played = await playInstrumented({ [name]: hook });
    expect(expectUnnoticed(played, plain)).toEqual([`${name} failed`]);
    expect(played.lines).toEqual([
      `${name} failed (${reported}); the operation itself is not affected. Reported once.`,
    ]);
    expect(played.telemetry.spans()).toHaveLength(SPANS);
  });

  it.each(HARMLESS)('that %s goes unnoticed', async (_what, hook) => {
    const played = await playInstrumented({ [name]: hook });
    expect(expectUnnoticed(played, plain)).toEqual([]);
    expect(played.telemetry.spans()).toHaveLength(SPANS);
  });
});
