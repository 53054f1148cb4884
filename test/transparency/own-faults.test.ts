/** Faults that the properties found here, each as a host would have noticed it. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { makeDriver, makeService, on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';
import { watchRejections } from './run.js';

let telemetry: TestTelemetry;
let instrumentation: PaperclipInstrumentation;
beforeEach(() => {
  telemetry = new TestTelemetry();
  instrumentation = telemetry.instrument();
});

describe('a promise that a driver gives to two callers', () => {
  /** Drivers answer a second question with the promise of the first one. */
  function makeCaching(failure: Error) {
    let endpoint: Promise<never> | undefined;
    return {
      driver: 'sandbox',
      getRunnerIngressEndpoint(_input: object): Promise<never> {
        endpoint ??= Promise.reject(failure);
        return endpoint;
      },
      openDuplexChannel(input: object): Promise<never> {
        return this.getRunnerIngressEndpoint(input);
      },
    };
  }

  it('is one promise for both, and both are recorded', async () => {
    const driver = instrumentation.instrumentDriver(makeCaching(new Error('x')));
    const [first, second, third] = [
      driver.getRunnerIngressEndpoint(on()),
      driver.getRunnerIngressEndpoint(on()),
      driver.openDuplexChannel(on()),
    ];
    expect(second).toBe(first);
    expect(third).toBe(first);
    await expect(first).rejects.toThrow('x');
    expect(telemetry.spanNames()).toEqual([
      'get_runner_ingress_endpoint sandbox',
      'get_runner_ingress_endpoint sandbox',
      'get_runner_ingress_endpoint sandbox',
      'open_duplex_channel sandbox',
    ]);
  });

  it.each([
    ['handled where one caller handles it', true],
    ['unhandled once where none does', false],
  ])('is %s', async (_title, isHandled) => {
    const stop = watchRejections();
    const unhandled: unknown[] = [];
    process.on('unhandledRejection', (reason) => unhandled.push(reason));
    try {
      const failure = new Error('x');
      const driver = instrumentation.instrumentDriver(makeCaching(failure));
      driver.getRunnerIngressEndpoint(on());
      driver.openDuplexChannel(on());
      if (isHandled) driver.getRunnerIngressEndpoint(on()).catch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual(isHandled ? [] : [failure]);
    } finally {
      stop();
    }
  });
});

describe('a frozen driver', () => {
  it('is frozen, with the properties that it had', () => {
    const driver = Object.freeze({ ...makeDriver(), [Symbol.for('extra')]: 7 });
    const instrumented = instrumentation.instrumentDriver(driver);
    expect(instrumented).not.toBe(driver);
    expect(Object.isFrozen(instrumented)).toBe(true);
    expect(Object.getOwnPropertyDescriptor(instrumented, 'execute')).toEqual({
      value: instrumented.execute,
      writable: false,
      enumerable: true,
      configurable: false,
    });
    expect(Reflect.ownKeys(instrumented)).toEqual(Reflect.ownKeys(driver));
    expect(Object.assign({}, instrumented).execute).toBe(instrumented.execute);
  });

  it('that is sealed later can still lose what it has lost', () => {
    const driver: { first?: number; second?: number } = new Proxy({ first: 1, second: 2 }, {});
    const instrumented = instrumentation.instrumentDriver(driver);
    Object.preventExtensions(instrumented);
    expect(Object.isExtensible(driver)).toBe(false);
    delete driver.first;
    expect('first' in instrumented).toBe(false);
    expect(Reflect.ownKeys(instrumented)).toEqual(['second']);
    Object.seal(instrumented);
    expect(Object.isSealed(driver)).toBe(true);
  });
});

it('a method that the host puts on a proxy is the method that it put there', () => {
  const instrumented = instrumentation.instrumentDriver(new Proxy(makeDriver(), {}));
  const { execute } = makeDriver();
  instrumented.execute = execute;
  expect(instrumented.execute).toBe(execute);
});

it('an object that inherits from a proxy that is instrumented has properties of its own', () => {
  const instrumented = instrumentation.instrumentDriver(new Proxy(makeDriver(), {}));
  const heir = Object.create(instrumented);
  heir.driver = 'local';
  expect(Object.keys(heir)).toEqual(['driver']);
  expect(instrumented.driver).toBe('sandbox');
});

it('`getDriver` may be a getter, which instrumenting does not call', () => {
  let reads = 0;
  const service = {
    get getDriver() {
      reads += 1;
      return () => null;
    },
  };
  instrumentation.instrumentRuntime(service);
  expect(reads).toBe(0);
});

it('drivers are still found behind a `getDriver` that is inherited', async () => {
  const driver = makeDriver();
  const service = Object.create(makeService({}, { drivers: [driver] }));
  instrumentation.instrumentRuntime(service);
  await driver.execute(on());
  expect(telemetry.spanNames()).toEqual(['execute sandbox']);
});

it('a `then` that is a getter is read by whoever awaits, and by nobody else', async () => {
  let reads = 0;
  const thenable = {
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what the test is about
    get then() {
      reads += 1;
      return (resolve: (value: string) => void) => resolve('done');
    },
  };
  const driver = instrumentation.instrumentDriver({ execute: (_input: object) => thenable });
  const returned = driver.execute(on());
  expect(reads).toBe(0);
  expect(await returned).toBe('done');
  expect(reads).toBe(1);
});

it('a bound constructor still constructs', () => {
  class Driver {
    constructor(readonly input: unknown) {}
  }
  const driver = instrumentation.instrumentDriver({ execute: Driver.bind(null) });
  expect(new driver.execute(7)).toEqual(new Driver(7));
});

describe('a duplex channel', () => {
  class Channel {
    readonly seen: unknown[][] = [];
    onExit(...args: unknown[]) {
      this.seen.push(args);
    }
    stop() {}
  }
  const open = (channel: Channel) =>
    instrumentation
      .instrumentDriver({ openDuplexChannel: (_input: object) => channel })
      .openDuplexChannel(on());

  it('of a class has the keys that it had, and others of the class are as before', () => {
    const channel = open(new Channel());
    const other = new Channel();
    expect(Object.keys(channel)).toEqual(['seen']);
    expect({ ...channel }).toEqual({ seen: [] });
    expect(Reflect.ownKeys(other)).toEqual(['seen']);
    other.stop();
    other.onExit(7);
    expect(other.seen).toEqual([[7]]);
  });

  it('is told of as many arguments as its caller gave', () => {
    const channel = open(new Channel());
    channel.onExit();
    channel.onExit(undefined, 7);
    expect(channel.seen).toEqual([[], [undefined, 7]]);
  });

  it('is not asked for an `onExit` that is a getter', () => {
    let reads = 0;
    const channel = Object.defineProperty(new Channel(), 'onExit', {
      get: () => {
        reads += 1;
        return () => {};
      },
    });
    open(channel);
    expect(reads).toBe(0);
  });
});
