import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ATTR_ERROR_TYPE } from '../../src/semconv.js';
import { on, UNSUPPORTED } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';
import { listen, load } from './harness.js';
import { MISBEHAVIOURS, type Misbehaviour, revoked, Seam, untouchable } from './inject.js';

const seam = new Seam();
let telemetry: TestTelemetry;
let lines: string[];
let loaded: Awaited<ReturnType<typeof load>>;
async function start(errorDetail: 'catalogued' | 'full'): Promise<void> {
  telemetry = new TestTelemetry();
  loaded = await load({ errorDetail });
  telemetry.attach(loaded.instrumentation as never);
  ({ lines } = listen());
}
beforeEach(() => seam.reset());
afterEach(() => loaded.instrumentation.disable());

/** Throws an error through a driver, at once and later, alone and through another operation. */
async function expectThrown(error: unknown): Promise<void> {
  const driver = loaded.driver({
    driver: 'sandbox',
    execute(_input: object): void {
      throw error;
    },
    async openDuplexChannel(_input: object) {
      throw error;
    },
    syncIn: (input: object): void => driver.execute(input),
  });
  for (const name of ['execute', 'openDuplexChannel', 'syncIn'] as const) {
    const { caught } = await settle(() => driver[name](on()));
    if (!Object.is(caught, error)) throw new Error('the caller got another error');
  }
}

/** What a call threw, wrapped, so that nothing looks at it. */
async function settle(call: () => unknown): Promise<{ caught?: unknown }> {
  try {
    await call();
    return {};
  } catch (caught) {
    return { caught };
  }
}

/** An error of the catalog, and one that is in no record, so that everything else of it is looked at. */
const watched = () => [
  seam.watch('error', Object.assign(new Error(UNSUPPORTED), { cause: new Error('inner') })),
  seam.watch(
    'error',
    Object.assign(new Error('other'), {
      code: 'no code',
      cause: new Error('inner'),
      errors: [new Error('inner')],
    }),
  ),
];

/** All that is read of an error. Something new that is read belongs here, and is tried below. */
const READ = [
  ...['message', 'cause', 'errors', 'code'].map((key) => `${key} in error`),
  ...['message', 'cause', 'errors', 'code', 'constructor', 'stack'].map((key) => `error.${key}`),
  ...['length', 'constructor', 'slice', '0', '0.message'].map((key) => `error.errors.${key}`),
  '0 in error.errors',
  ...['message', 'cause', 'errors'].flatMap((key) => [`${key} in error.cause`, `${key} in error.errors.0`]),
  'error.cause.message',
];
const NONSENSE = Object.keys(MISBEHAVIOURS).filter((name) => name !== 'throws') as Misbehaviour[];

describe.each([
  ['catalogued', READ],
  ['full', [...READ, 'stack in error']],
] as const)('with errorDetail %s, an error of the host', (errorDetail, read) => {
  beforeEach(() => start(errorDetail));

  it('is read of no more than this', async () => {
    for (const error of watched()) await expectThrown(error);
    expect([...seam.used].sort()).toEqual([...read].sort());
    expect(lines).toEqual([]);
  });

  it.each(read)('may throw when asked for "%s", each time', async (member) => {
    seam.arm({ member, misbehaviour: 'throws' });
    for (const error of [...watched(), ...watched()]) await expectThrown(error);
    expect(lines).toEqual([
      'classifying an error failed (Error); the operation itself is not affected. Reported once.',
    ]);
    expect(telemetry.spans()).toHaveLength(16);
    expect(telemetry.spans().filter(({ attributes }) => attributes[ATTR_ERROR_TYPE] === undefined)).toEqual(
      [],
    );
  });

  it.each(NONSENSE)('may have anything that %s', async (misbehaviour) => {
    for (const member of read) {
      seam.arm({ member, misbehaviour });
      for (const error of watched()) await expectThrown(error);
      expect(seam.calls).toBeGreaterThan(0);
    }
    expect(lines).toHaveLength(new Set(lines).size);
    expect(telemetry.spans()).toHaveLength(8 * read.length);
  });

  it.each(strange())('may be %s', async (_what, error) => {
    await expectThrown(error);
    await expectThrown(error);
    expect(lines).toHaveLength(new Set(lines).size);
    expect(telemetry.spans()).toHaveLength(8);
    expect(telemetry.spans().filter(({ attributes }) => attributes[ATTR_ERROR_TYPE] === undefined)).toEqual(
      [],
    );
  });
});

/** What can be thrown, besides errors. */
function strange(): [what: string, error: unknown][] {
  const throwing = (trap: string) => () => {
    throw new RangeError(trap);
  };
  const traps = ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor'];
  const cyclic = new Error('a');
  cyclic.cause = new Error('b', { cause: cyclic });
  const inItself = new AggregateError([]);
  inItself.errors.push(inItself);
  let deep = new Error('deepest');
  for (let depth = 0; depth < 10_000; depth += 1) deep = new Error('deep', { cause: deep });
  const sparse = Object.assign(new Error('many'), { errors: new Array(2 ** 32 - 1) });
  const classless = Object.defineProperty(new Error('a'), 'constructor', { get: throwing('constructor') });
  return [
    ...[undefined, null, 0, Number.NaN, '', 'text', false, 7n, Symbol('s')].map(
      (value): [string, unknown] => [`the ${typeof value} ${String(value)}`, value],
    ),
    ['a function', () => {}],
    ['an object without a prototype', Object.assign(Object.create(null), { message: UNSUPPORTED })],
    ['a frozen error', Object.freeze(new Error(UNSUPPORTED))],
    ['an error of a long message', new Error(UNSUPPORTED.repeat(200_000))],
    ['an error with a cycle of causes', cyclic],
    ['an error in itself', inItself],
    ['an error with ten thousand causes', deep],
    ['an error with four thousand million errors', sparse],
    ['an error that does not name its class', classless],
    ['an error with a revoked cause', new Error('a', { cause: revoked() })],
    ['an error with a revoked list', Object.assign(new Error('a'), { errors: revoked([]) })],
    ['a revoked proxy', revoked(new Error('a'))],
    ['a revoked function', revoked(() => {})],
    ['what throws at every touch', untouchable()],
    ...traps.map((trap): [string, unknown] => [
      `a proxy whose trap "${trap}" throws`,
      new Proxy(new Error(UNSUPPORTED), { [trap]: throwing(trap) }),
    ]),
  ];
}
