import { DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { completeLease, environment, makeDriver, makeService, on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

let telemetry: TestTelemetry;
let instrumentation: PaperclipInstrumentation;
const warnings: string[] = [];
beforeEach(() => {
  telemetry = new TestTelemetry();
  instrumentation = telemetry.instrument();
  const log = (message: string) => warnings.push(message);
  diag.setLogger(
    { error: log, warn: log, info() {}, debug() {}, verbose() {} },
    { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true },
  );
});
afterEach(() => {
  warnings.length = 0;
});

describe('an instrumented driver', () => {
  it('is the same object, of the same type, with the same keys and functions that look the same', () => {
    const driver = makeDriver();
    const plain = makeDriver();
    const instrumented = instrumentation.instrumentDriver(driver);
    expectTypeOf(instrumented).toEqualTypeOf<ReturnType<typeof makeDriver>>();
    expect(instrumented).toBe(driver);
    expect(Reflect.ownKeys(driver)).toEqual(Reflect.ownKeys(plain));
    for (const key of ['execute', 'openDuplexChannel'] as const) {
      expect(Object.getOwnPropertyDescriptors(driver[key])).toEqual(
        Object.getOwnPropertyDescriptors(plain[key]),
      );
      expect(Object.prototype.toString.call(driver[key])).toBe('[object AsyncFunction]');
    }
  });

  it('keeps what a function has beyond its name and length', async () => {
    const execute = vi.fn(async (_input: object) => 'done');
    const driver = instrumentation.instrumentDriver({ execute });
    await driver.execute(on());
    expect(driver.execute).toHaveBeenCalledTimes(1);
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
  });

  it('has no method that it did not have', () => {
    const driver = instrumentation.instrumentDriver({ driver: 'local', acquireRunLease: async () => ({}) });
    expect('openDuplexChannel' in driver).toBe(false);
    expect(Object.keys(driver)).toEqual(['driver', 'acquireRunLease']);
  });

  it.each([7, null, 'text'])('is left alone where a method is no function but %s', (value) => {
    expect(instrumentation.instrumentDriver({ execute: value }).execute).toBe(value);
  });

  it.each([null, undefined, 7, 'driver'])('may be %s', (nothing) => {
    expect(instrumentation.instrumentDriver(nothing as never)).toBe(nothing);
    expect(instrumentation.instrumentRuntime(nothing as never)).toBe(nothing);
  });

  it.each([
    ['frozen', Object.freeze],
    ['sealed', Object.seal],
    ['not extensible', Object.preventExtensions],
  ])('may be %s', async (_state, restrict) => {
    const driver = restrict(makeDriver());
    const instrumented = instrumentation.instrumentDriver(driver);
    expect(await instrumented.execute(on())).toEqual({
      exitCode: 3,
      timedOut: false,
      stdout: '',
      stderr: '',
    });
    expect(Reflect.ownKeys(instrumented)).toEqual(Reflect.ownKeys(driver));
    expect({ ...instrumented }.driver).toBe('sandbox');
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
    expect(instrumentation.instrumentDriver(driver)).toBe(instrumented);
    expect(instrumentation.instrumentDriver(instrumented)).toBe(instrumented);
  });

  it('may be a proxy', async () => {
    const driver = new Proxy(makeDriver(), {});
    await instrumentation.instrumentDriver(driver).execute(on());
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
  });

  it('may be an instance of a class with private fields, frozen or not, and its class stays usable', async () => {
    class Driver {
      readonly driver = 'ssh';
      readonly #secret = 7;
      async execute(_input?: object) {
        return this.#secret;
      }
      peek() {
        return this.#secret;
      }
    }
    const open = new Driver();
    const untouched = new Driver();
    expect(instrumentation.instrumentDriver(open)).toBe(open);
    expect(Object.keys(open)).toEqual(['driver']);
    expect(Reflect.ownKeys(untouched)).toEqual(['driver']);
    expect(await open.execute()).toBe(7);
    expect(await untouched.execute()).toBe(7);
    expect(telemetry.spanNames()).toEqual(['execute ssh']);

    class FrozenDriver extends Driver {
      override readonly driver = 'ssh' as const;
      run = async () => this.peek();
      openDuplexChannel = this.run;
    }
    const frozen = instrumentation.instrumentDriver(Object.freeze(new FrozenDriver()));
    expect(await frozen.openDuplexChannel()).toBe(7);
    expect(frozen.peek()).toBe(7);
    expect(frozen).toBeInstanceOf(FrozenDriver);
    expect(() => Object.assign(frozen, { driver: 'other' })).toThrow(TypeError);
    expect(telemetry.spanNames()).toEqual(['execute ssh', 'open_duplex_channel ssh']);
  });

  it('may have a getter in the place of a method, which is neither called nor wrapped', () => {
    let reads = 0;
    const driver = {
      get execute() {
        reads += 1;
        return () => 'done';
      },
    };
    const instrumented = instrumentation.instrumentDriver(driver);
    expect(reads).toBe(0);
    expect(instrumented.execute()).toBe('done');
    expect(reads).toBe(1);
    expect(telemetry.spans()).toEqual([]);
  });

  it('passes this, all arguments and the result on by identity', async () => {
    const seen: unknown[] = [];
    const result = { exitCode: 0 };
    const driver = {
      async execute(this: unknown, ...args: unknown[]) {
        seen.push(this, ...args);
        return result;
      },
    };
    const input = on();
    const extra = Symbol('extra');
    expect(await instrumentation.instrumentDriver(driver).execute(input, extra)).toBe(result);
    expect(seen[0]).toBe(driver);
    expect(seen[1]).toBe(input);
    expect(seen[2]).toBe(extra);
  });
});

describe('a lease', () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  it.each([
    ['null', null, 'absent'],
    ['undefined', undefined, 'absent'],
    ['a text', 'lease', 'absent'],
    ['a proxy', new Proxy(completeLease, {}), 'plugin_complete'],
    ['a proxy that was revoked', revoked.proxy, undefined],
    [
      'an object that throws when it is read',
      {
        get metadata() {
          throw new Error('secret');
        },
      },
      undefined,
    ],
  ])('may be %s', async (_title, lease, shape) => {
    const driver = instrumentation.instrumentDriver({
      driver: 'ssh',
      execute: async (_input: object) => 'ok',
    });
    expect(await driver.execute({ environment, lease })).toBe('ok');
    expect(telemetry.span().attributes['paperclip.lease.shape']).toBe(shape);
    expect(telemetry.span().attributes['paperclip.environment.id']).toBe('env-1');
    expect(warnings.join()).not.toContain('secret');
  });
});

describe('an operation', () => {
  it.each([
    ['an error', new Error('x'), 'Error'],
    ['a frozen error', Object.freeze(new TypeError('x')), 'TypeError'],
    ['a text', 'text', '_OTHER'],
    ['undefined', undefined, '_OTHER'],
    [
      'an object whose properties throw',
      new Proxy(
        {},
        {
          has: () => {
            throw new Error('no');
          },
        },
      ),
      '_OTHER',
    ],
  ])('may throw %s, at once or later', async (_title, thrown, errorType) => {
    const driver = instrumentation.instrumentDriver({
      execute(_input: object): unknown {
        throw thrown;
      },
      async syncIn(_input: object) {
        throw thrown;
      },
    });
    const caught: unknown[] = [];
    try {
      driver.execute(on());
    } catch (error) {
      caught.push(error);
    }
    await driver.syncIn(on()).catch((error) => caught.push(error));
    expect(caught).toHaveLength(2);
    expect(caught.every((error) => Object.is(error, thrown))).toBe(true);
    expect(telemetry.spans().map(({ attributes }) => attributes['error.type'])).toEqual([
      errorType,
      errorType,
    ]);
  });

  it('may return a plain value, which comes back as it is', () => {
    const result = { exitCode: 4, timedOut: true };
    const driver = instrumentation.instrumentDriver({ execute: (_input: object) => result });
    expect(driver.execute(on())).toBe(result);
    expect(telemetry.span().attributes['process.exit.code']).toBe(4);
  });

  it('neither hides nor adds an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
    try {
      const ignored = new Error('ignored');
      const handled = new Error('handled');
      const driver = instrumentation.instrumentDriver({
        execute: async (_input: object) => Promise.reject(ignored),
        syncIn: async (_input: object) => Promise.reject(handled),
      });
      driver.execute(on());
      await driver.syncIn(on()).catch(() => {});
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(unhandled).toEqual([ignored]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const other of others) process.on('unhandledRejection', other);
    }
  });

  it('leaves the limit of stack traces to the host, which changes it for a while', async () => {
    const { stackTraceLimit } = Error;
    const seen = new Set<number>();
    const driver = instrumentation.instrumentDriver({
      async execute(_input: object) {
        const limit = Error.stackTraceLimit;
        seen.add(limit);
        Error.stackTraceLimit = 40;
        await null;
        Error.stackTraceLimit = limit;
      },
    });
    try {
      Error.stackTraceLimit = 25;
      for (let call = 0; call < 1_000; call += 1) await driver.execute(on());
      expect(Error.stackTraceLimit).toBe(25);
      expect([...seen]).toEqual([25]);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  });

  it('leaves room for frames of the caller in the stack of an error', () => {
    const driver = instrumentation.instrumentDriver({
      execute: (_input: object): string => new Error('x').stack ?? '',
    });
    const callerOfTheDriver = () => driver.execute(on());
    expect(callerOfTheDriver()).toContain('callerOfTheDriver');
  });

  it('runs with its span active', async () => {
    const driver = instrumentation.instrumentDriver({
      driver: 'plugin',
      releaseRunLease: async (_input: object) => {
        await inner.destroyRunLease(on());
      },
    });
    const inner = instrumentation.instrumentDriver(makeDriver());
    await driver.releaseRunLease(on());
    const [child, parent] = telemetry.spans();
    expect(child?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
  });
});

describe('wrapping twice', () => {
  it('by one instance, through the service or directly, is one span', async () => {
    const driver = makeDriver();
    const service = makeService({}, { drivers: [driver] });
    instrumentation.instrumentRuntime(instrumentation.instrumentRuntime(service));
    instrumentation.instrumentDriver(instrumentation.instrumentDriver(driver));
    await service.execute(on());
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
  });

  it.each([
    ['one that can be changed', makeDriver()],
    ['a frozen one', Object.freeze(makeDriver())],
  ])('by two copies of the package is one span: %s', async (_title, driver) => {
    vi.resetModules();
    const copy = await import('../../src/index.js');
    const other = new copy.PaperclipInstrumentation();
    telemetry.attach(other as never);
    const twice = other.instrumentDriver(instrumentation.instrumentDriver(driver));
    await twice.execute(on());
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
    expect((await telemetry.durations()).map(({ count }) => count)).toEqual([1]);
  });

  it('folds a service of one copy and its driver of another into one span', async () => {
    vi.resetModules();
    const copy = await import('../../src/index.js');
    const other = new copy.PaperclipInstrumentation();
    telemetry.attach(other as never);
    const driver = other.instrumentDriver(makeDriver());
    const service = instrumentation.instrumentRuntime({ execute: (input: never) => driver.execute(input) });
    await service.execute(on() as never);
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
  });

  it('by an instance that was disabled leaves the recording to the other', async () => {
    const second = telemetry.instrument();
    const driver = second.instrumentDriver(instrumentation.instrumentDriver(makeDriver()));
    instrumentation.disable();
    await driver.execute(on());
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
  });
});

describe('disable()', () => {
  it('makes wrappers transparent, and enable() brings them back', async () => {
    const service = instrumentation.instrumentRuntime(makeService());
    const { execute } = service;
    instrumentation.disable();
    expect(await execute(on())).toMatchObject({ exitCode: 3 });
    expect(telemetry.spans()).toEqual([]);
    expect(await telemetry.durations()).toEqual([]);
    instrumentation.enable();
    await execute(on());
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
  });

  it('lets an operation that is under way end as it began', async () => {
    const driver = instrumentation.instrumentDriver(makeDriver());
    const running = driver.execute(on());
    instrumentation.disable();
    await running;
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
    expect(await telemetry.active()).toBe(0);
  });
});
