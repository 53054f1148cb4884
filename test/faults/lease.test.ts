import { types } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostFunction } from '../../src/base/values.js';
import { OPERATIONS } from '../../src/operations/table.js';
import { completeLease, environment } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';
import { listen, load } from './harness.js';
import { MISBEHAVIOURS, type Misbehaviour, revoked, Seam } from './inject.js';

const lease = {
  ...completeLease,
  agentId: 'agent-1',
  persistedExecutionWorkspace: { id: 'workspace-1' },
  metadata: { ...completeLease.metadata, driver: 'sandbox', sandboxLeaseAcquisition: { outcome: 'created' } },
};
const argument = { ...lease, environment, lease, status: 'released' };
const results = { channel: { onExit() {}, stop() {}, close() {} }, other: { ...lease, lease, exitCode: 0 } };

let telemetry: TestTelemetry;
let seam: Seam;
let lines: string[];
let loaded: Awaited<ReturnType<typeof load>>;
beforeEach(async () => {
  telemetry = new TestTelemetry();
  seam = new Seam();
  loaded = await load();
  telemetry.attach(loaded.instrumentation as never);
  ({ lines } = listen());
});
afterEach(() => loaded.instrumentation.disable());

/** Calls each operation once; the host looks at nothing but whether it gets and gives the same objects. */
async function callAll(argument: unknown, resultOf: (operation: string) => unknown): Promise<void> {
  for (const { name, method } of OPERATIONS) {
    const level = method.driver === undefined ? 'service' : 'driver';
    const key = method[level] as string;
    const result = resultOf(name);
    const host = {
      get driver() {
        return seam.use('driver', () => 'sandbox');
      },
      async [key](this: unknown, ...args: unknown[]) {
        if (this !== host || args.length !== 2 || !Object.is(args[0], argument)) throw new Error('noticed');
        return result;
      },
    };
    const instrumented = level === 'driver' ? loaded.driver(host) : loaded.runtime(host);
    const call = instrumented[key] as HostFunction;
    if (!Object.is(await Reflect.apply(call, instrumented, [argument, 'second']), result)) {
      throw new Error('noticed');
    }
  }
}

/** Another result than the watched one for one that opens channels. */
const resultOf = (operation: string): object =>
  operation === 'open_duplex_channel' ? results.channel : results.other;
const watchedArgument = () => seam.watch('argument', argument);
const watchedResult = (operation: string) =>
  seam.watch(operation === 'open_duplex_channel' ? 'channel' : 'result', resultOf(operation));
/** Members of the channel that were looked at, in whichever way. */
const ofTheChannel = () => [...seam.used].filter((member) => member.includes('channel'));

/** All that is read of a call's argument and result. Something new that is read belongs here, and is tried below. */
const OF_A_LEASE = [
  'acquiredAt',
  'agentId',
  'companyId',
  'environmentId',
  'executionWorkspaceId',
  'expiresAt',
  'heartbeatRunId',
  'id',
  'issueId',
  'leasePolicy',
  'metadata',
  'metadata.driver',
  'metadata.pluginId',
  'metadata.provider',
  'metadata.sandboxLeaseAcquisition',
  'metadata.sandboxLeaseAcquisition.outcome',
  'metadata.sandboxProviderPlugin',
  'persistedExecutionWorkspace',
  'persistedExecutionWorkspace.id',
  'providerLeaseId',
  'status',
];
const OF_AN_ARGUMENT = [
  'agentId',
  'companyId',
  'environment',
  'environment.config',
  'environment.config.driverKey',
  'environment.config.pluginKey',
  'environment.config.provider',
  'environment.driver',
  'environment.id',
  'executionWorkspaceId',
  'heartbeatRunId',
  'issueId',
  'lease',
  ...OF_A_LEASE.map((path) => `lease.${path}`),
  'persistedExecutionWorkspace',
  'persistedExecutionWorkspace.id',
  'status',
].map((path) => `argument.${path}`);
const OF_A_RESULT = [
  'cleanupStatus',
  'exitCode',
  'id',
  'lease',
  ...OF_A_LEASE.map((path) => `lease.${path}`),
  'leasePolicy',
  'status',
  'timedOut',
].map((path) => `result.${path}`);
const READ = ['driver', ...OF_AN_ARGUMENT, ...OF_A_RESULT];

const NONSENSE = Object.keys(MISBEHAVIOURS).filter((name) => name !== 'throws') as Misbehaviour[];
const line = (kind: string, error: string) =>
  `${kind} (${error}); the operation itself is not affected. Reported once.`;

describe('what a host passes and returns', () => {
  it('is read of no more than this', async () => {
    await callAll(watchedArgument(), watchedResult);
    const looked = ofTheChannel();
    expect([...seam.used].sort()).toEqual([...READ, ...looked].sort());
    expect(lines).toEqual([]);
    expect(telemetry.spans()).toHaveLength(OPERATIONS.length);
  });

  it.each(READ)('may throw when %s is read, each time', async (member) => {
    seam.arm({ member, misbehaviour: 'throws' });
    for (let n = 0; n < 10; n += 1) await callAll(watchedArgument(), watchedResult);
    expect(lines).toEqual([line('reading an operation failed', 'Error')]);
    expect(telemetry.spans()).toHaveLength(10 * OPERATIONS.length);
  });

  it('may throw when a channel is looked at, each time', async () => {
    await callAll(watchedArgument(), watchedResult);
    const looked = ofTheChannel();
    expect(looked).not.toEqual([]);
    for (const member of looked) {
      seam.arm({ member, misbehaviour: 'throws' });
      await callAll(watchedArgument(), watchedResult);
    }
    expect(lines).toEqual([line('observing a duplex channel failed', 'Error')]);
  });

  it.each(NONSENSE)('may have anything that %s', async (misbehaviour) => {
    for (const member of READ) {
      seam.arm({ member, misbehaviour });
      await callAll(watchedArgument(), watchedResult);
      expect(seam.calls).toBeGreaterThan(0);
    }
    expect(new Set(lines).size).toBe(lines.length);
    expect(telemetry.spans()).toHaveLength(READ.length * OPERATIONS.length);
  });
});

const trapped = (trap: keyof ProxyHandler<object>) => {
  const throwing = () => {
    throw new RangeError('trapped');
  };
  return new Proxy({ ...lease }, { [trap]: throwing });
};
const TRAPS = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'] as const;
const STRANGE: [what: string, value: unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a list', [lease]],
  ['a function', () => lease],
  ['a text', 'lease-1'],
  ['a symbol', Symbol('lease')],
  ['an object without a prototype', Object.assign(Object.create(null), lease)],
  ['frozen', Object.freeze({ ...lease })],
  ['in itself', Object.assign(argument, { self: argument })],
  ...TRAPS.map((trap): [string, unknown] => [`a proxy whose trap "${trap}" throws`, trapped(trap)]),
];

describe.each(STRANGE)('%s', (_what, value) => {
  it('may stand for an argument and anything in it', async () => {
    const metadata = { ...completeLease, metadata: value };
    for (const argument of [
      value,
      { environment, lease: value },
      { environment: value, lease },
      { environment: { ...environment, config: value }, lease: metadata },
    ]) {
      await callAll(argument, resultOf);
    }
    expect(lines).toHaveLength(new Set(lines).size);
    expect(telemetry.spans()).toHaveLength(4 * OPERATIONS.length);
  });

  it('may stand for a result and anything in it', async () => {
    const isPromised = !types.isProxy(value);
    const answers = [
      { lease: value },
      { ...lease, metadata: value },
      { status: value, exitCode: value, timedOut: value },
    ];
    for (const answer of isPromised ? [value, ...answers] : answers) await callAll(argument, () => answer);
    expect(lines).toHaveLength(new Set(lines).size);
  });
});

describe('a revoked proxy', () => {
  it('may stand for an argument, a lease, metadata, and a part of a result', async () => {
    for (const argument of [
      revoked(),
      { environment, lease: revoked() },
      { lease: { ...lease, metadata: revoked() } },
    ])
      await callAll(argument, () => ({ lease: revoked(), status: revoked() }));
    expect(lines).toEqual([line('reading an operation failed', 'TypeError')]);
    expect(telemetry.spans()).toHaveLength(3 * OPERATIONS.length);
  });
});
