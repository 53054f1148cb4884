/** What a method returns decides whether the outcome of its operation can be known. */
import { exec } from 'node:child_process';
import domain from 'node:domain';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { SpanStatusCode } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { incompleteLease, makeDriver, on, UNSUPPORTED } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';
import { watchRejections } from '../transparency/run.js';

let telemetry: TestTelemetry;
beforeEach(() => {
  telemetry = new TestTelemetry();
});

const failure = Object.assign(new Error('x'), { code: 'ECONNRESET' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** An instrumented driver whose every method returns this. */
function returning<T>(make: () => T) {
  return telemetry.instrument().instrumentDriver({
    driver: 'sandbox',
    execute: (_input: object) => make(),
    openDuplexChannel: (_input: object) => make(),
    acquireRunLease: (_input: object) => make(),
  });
}

class Subclass extends Promise<unknown> {
  static made = 0;
  readonly #controller = new AbortController();
  constructor(executor: ConstructorParameters<typeof Promise<unknown>>[0]) {
    super(executor);
    Subclass.made += 1;
  }
  abort(): boolean {
    this.#controller.abort();
    return true;
  }
}

function inDomain<T>(make: () => T): T {
  const active = domain.create();
  active.on('error', () => {});
  return active.run(make);
}

const promises: Record<string, () => Promise<unknown>> = {
  'with a property of its own': () => Object.assign(Promise.reject(failure), { child: {} }),
  'with a symbol that nobody knows': () => Object.assign(Promise.reject(failure), { [Symbol('new')]: 1 }),
  'made while a domain is active': () => inDomain(() => Promise.reject(failure)),
  'of a subclass': () => Subclass.reject(failure),
  'without a class': () => Object.setPrototypeOf(Promise.reject(failure), Object.create(Promise.prototype)),
};

describe('a native promise', () => {
  it.each(Object.entries(promises))('%s is followed until it fails', async (_title, make) => {
    const driver = returning(make);
    await expect(driver.execute(on())).rejects.toBe(failure);
    expect(telemetry.span().status.code).toBe(SpanStatusCode.ERROR);
    expect(telemetry.span().attributes['error.type']).toBe('ECONNRESET');
    expect((await telemetry.durations())[0]?.attributes['error.type']).toBe('ECONNRESET');
  });

  it.each(Object.entries(promises))(
    '%s that is a refused open is no opened channel',
    async (_title, make) => {
      const driver = returning(make);
      await driver.openDuplexChannel(on()).catch(() => {});
      expect(await telemetry.counter('paperclip.duplex.requests')).toEqual([]);
    },
  );

  it.each(Object.entries(promises))('%s comes back itself', async (_title, make) => {
    const promise = make();
    promise.catch(() => {});
    expect(returning(() => promise).execute(on())).toBe(promise);
    expect(returning(() => promise).execute(on())).toBe(promise);
    await promise.catch(() => {});
    expect(telemetry.spans().map(({ attributes }) => attributes['error.type'])).toEqual([
      'ECONNRESET',
      'ECONNRESET',
    ]);
  });

  it('of `util.promisify(exec)` is measured until the process has ended, and has its `child`', async () => {
    const run = promisify(exec);
    const driver = returning(() => run('sleep 0.2; exit 3'));
    const running = driver.execute(on());
    expect(running.child.pid).toBeGreaterThan(0);
    expect(telemetry.spans()).toEqual([]);
    await expect(running).rejects.toMatchObject({ code: 3 });
    expect(telemetry.span().status.code).toBe(SpanStatusCode.ERROR);
  });

  it('of a subclass works as before, and no other one is made', async () => {
    const promise = Subclass.resolve({ exitCode: 0 }) as Subclass;
    Subclass.made = 0;
    const returned = returning(() => promise).execute(on());
    await turn();
    expect(Subclass.made).toBe(0);
    expect(returned.abort()).toBe(true);
    expect(returned.constructor).toBe(Subclass);
    expect(returned.then()).toBeInstanceOf(Subclass);
    expect(Object.keys(returned)).toEqual([]);
    expect(await returned).toEqual({ exitCode: 0 });
    expect(telemetry.span().attributes['process.exit.code']).toBe(0);
  });

  it('is followed by two copies of the package', async () => {
    vi.resetModules();
    const copy = await import('../../src/index.js');
    const other = new copy.PaperclipInstrumentation();
    telemetry.attach(other as never);
    const driver = other.instrumentDriver({ execute: (_input: object) => Subclass.reject(failure) });
    const outer = returning(() => driver.execute(on()));
    await outer.execute(on()).catch(() => {});
    expect(telemetry.spans().map(({ attributes }) => attributes['error.type'])).toEqual([
      'ECONNRESET',
      'ECONNRESET',
    ]);
  });
});

describe('the rejection of a promise that comes back itself', () => {
  let stop = () => {};
  const unhandled: unknown[] = [];
  beforeEach(() => {
    unhandled.length = 0;
    stop = watchRejections();
    process.on('unhandledRejection', (reason) => unhandled.push(reason));
    process.on('rejectionHandled', () => unhandled.push('handled after all'));
  });
  afterEach(() => stop());

  const followed = Object.entries(promises).filter(([title]) => !title.includes('domain'));
  it.each(followed)('is unhandled where nobody handles it: %s', async (_title, make) => {
    const driver = returning(make);
    const promise = driver.execute(on());
    await turn();
    expect(unhandled).toEqual([failure]);
    promise.catch(() => {});
    await turn();
    expect(unhandled).toEqual([failure, 'handled after all']);
  });

  it('goes to the domain where nobody handles it', async () => {
    const errors: unknown[] = [];
    const active = domain.create();
    active.on('error', (error) => errors.push(error));
    const driver = returning(async () => {
      await undefined;
      throw failure;
    });
    stop();
    active.run(() => void driver.execute(on()));
    await turn();
    stop = watchRejections();
    expect(errors).toEqual([failure]);
  });

  it.each(Object.entries(promises))('is handled where somebody handles it: %s', async (_title, make) => {
    const handlers: ((promise: Promise<unknown>) => unknown)[] = [
      async (promise) => {
        try {
          await promise;
        } catch {}
      },
      (promise) => promise.catch(() => {}),
      (promise) => promise.finally(() => {}).catch(() => {}),
      (promise) => Promise.allSettled([promise]),
      (promise) => (async () => promise)().catch(() => {}),
    ];
    for (const handle of handlers) void handle(returning(make).execute(on()));
    await turn();
    expect(unhandled).toEqual([]);
  });
});

// biome-ignore-start lint/suspicious/noThenProperty: thenables are what this is about
const unknown: Record<string, () => unknown> = {
  'a thenable': () => ({ then() {} }),
  'a function with `then`': () => Object.assign(() => {}, { then() {} }),
  'a promise with another `then`': () => Object.assign(Promise.resolve(), { then() {} }),
  'a promise of a subclass with another `then`': () =>
    new (class extends Promise<unknown> {
      override then(): never {
        throw new Error('subscribed to');
      }
    })(() => {}),
  'a promise of another realm': () => runInNewContext('Promise.resolve()'),
  'a proxy of a promise': () => new Proxy(Promise.resolve(), {}),
  'a promise with a constructor of its own': () =>
    Object.assign(Promise.resolve(), { constructor: Subclass }),
  'a frozen promise of a subclass': () => Object.freeze(Subclass.resolve()),
};
// biome-ignore-end lint/suspicious/noThenProperty: thenables are what this is about

describe.each(Object.entries(unknown))('%s', (_title, make) => {
  it('comes back itself, and is neither a success nor a failure', async () => {
    const value = make();
    expect(returning(() => value).execute(on())).toBe(value);
    const { status, attributes } = telemetry.span();
    expect(status.code).toBe(SpanStatusCode.UNSET);
    expect(attributes).toMatchObject({ 'paperclip.environment.operation.outcome_unknown': true });
    expect(attributes).not.toHaveProperty('error.type');
    expect(await telemetry.durations()).toEqual([]);
    expect(await telemetry.active()).toBe(0);
  });

  it('is no duplex request', async () => {
    const instrumentation = telemetry.instrument();
    instrumentation.instrumentDriver({ openDuplexChannel: make }).openDuplexChannel();
    instrumentation.disable();
    expect(await telemetry.counter('paperclip.duplex.requests')).toEqual([]);
  });

  it('decides no re-acquire', async () => {
    const instrumentation = telemetry.instrument();
    const driver = instrumentation.instrumentDriver(makeDriver());
    await driver.openDuplexChannel(on(incompleteLease)).catch(() => {});
    const acquirer = instrumentation.instrumentDriver({ acquireRunLease: (_input: object) => make() });
    acquirer.acquireRunLease({
      environment: { id: 'env-1', driver: 'sandbox' },
      heartbeatRunId: 'run-1',
      companyId: 'company-1',
    });
    expect(await telemetry.counter('paperclip.lease.reacquires')).toEqual([]);
    instrumentation.disable();
    expect(await telemetry.counter('paperclip.lease.reacquires')).toMatchObject([
      { attributes: { 'paperclip.lease.reacquire.outcome': 'not_attempted' }, value: 1 },
    ]);
  });
});

it('a refused open is told from an opened one by the promise of a subclass, too', async () => {
  const instrumentation = telemetry.instrument();
  const driver = instrumentation.instrumentDriver({
    driver: 'sandbox',
    openDuplexChannel: (_input: object) => Subclass.reject(new Error(UNSUPPORTED)),
    execute: (_input: object) => Object.assign(Promise.resolve({ exitCode: 0 }), { child: {} }),
  });
  await driver.openDuplexChannel(on()).catch(() => {});
  await driver.execute(on());
  expect(await telemetry.counter('paperclip.duplex.requests')).toMatchObject([
    { attributes: { 'paperclip.duplex.outcome': 'fallback' }, value: 1 },
  ]);
});
