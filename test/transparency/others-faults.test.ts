/** Faults of other instrumentations, each as it would show here. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

let telemetry: TestTelemetry;
let instrumentation: PaperclipInstrumentation;
beforeEach(() => {
  telemetry = new TestTelemetry();
  instrumentation = telemetry.instrument();
});

/** A response whose body can be read once, and the promise of it that reads the body when somebody subscribes. */
class LazyResponse extends Promise<string> {
  reads = 0;
  static override get [Symbol.species]() {
    return Promise;
  }
  #read(): string {
    this.reads += 1;
    if (this.reads > 1) throw new TypeError('Body is unusable: Body has already been read');
    return 'body';
  }
  // biome-ignore lint/suspicious/noThenProperty: a promise that overrides it is what the test is about
  override then<A = string, B = never>(
    onFulfilled?: ((value: string) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return Promise.resolve()
      .then(() => this.#read())
      .then(onFulfilled, onRejected);
  }
  /** Another promise of the same response, which reads the body itself. */
  unwrapped(): Promise<string> {
    return Promise.resolve().then(() => this.#read());
  }
}

// The instrumentation subscribed to `APIPromise`, whose `then` reads the response, which was then read twice.
it('a response that can be read once is left to the caller (open-telemetry/opentelemetry-js-contrib#3586)', async () => {
  const response = new LazyResponse(() => {});
  const driver = instrumentation.instrumentDriver({ execute: (_input: object) => response });
  const returned = driver.execute(on());
  expect(returned).toBe(response);
  expect(await returned.unwrapped()).toBe('body');
  expect(response.reads).toBe(1);
  expect(telemetry.spanNames()).toEqual(['execute sandbox']);
});

// The decorator awaited every thenable, so that a query ran before the caller had added its conditions.
it('a query that runs when it is awaited does not run before (pragmaticivan/nestjs-otel#595)', async () => {
  const ran: string[] = [];
  class Query {
    readonly conditions: string[] = [];
    where(condition: string): this {
      this.conditions.push(condition);
      return this;
    }
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what the test is about
    then(resolve: (rows: string) => void): void {
      ran.push(this.conditions.join(' and '));
      resolve('rows');
    }
  }
  const driver = instrumentation.instrumentDriver({ execute: (_input: object) => new Query().where('a') });
  const query = driver.execute(on());
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toEqual([]);
  expect(await query.where('b')).toBe('rows');
  expect(ran).toEqual(['a and b']);
  expect(telemetry.spanNames()).toEqual(['execute sandbox']);
});

// `tracingChannel.tracePromise` returned other objects as soon as somebody subscribed to the channel.
describe('what a method returns does not depend on who listens (nodejs/node#59944)', () => {
  class Subclass extends Promise<number> {}
  const returned = {
    'a number': 42,
    'an object': {},
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what the test is about
    'a thenable': { then: () => {} },
    'a promise of a subclass': Subclass.resolve(1),
    'a function': () => {},
  };
  it.each(Object.entries(returned))('%s', async (_title, value) => {
    const make = () => ({ execute: (_input: object) => value });
    expect(instrumentation.instrumentDriver(make()).execute(on())).toBe(value);
    const unheard = new TestTelemetry().instrument();
    const disabled = unheard.instrumentDriver(make());
    unheard.disable();
    expect(disabled.execute(on())).toBe(value);
    await Promise.resolve();
    expect(telemetry.spanNames()).toEqual(['execute sandbox']);
  });

  it('a native promise, with the same value', async () => {
    const value = {};
    const driver = instrumentation.instrumentDriver({ execute: async (_input: object) => value });
    const recorded = driver.execute(on());
    expect(Object.getPrototypeOf(recorded)).toBe(Promise.prototype);
    expect(await recorded).toBe(value);
    instrumentation.disable();
    expect(await driver.execute(on())).toBe(value);
  });
});

// `transactionSync` became a promise, which its callers took for the row.
it('a synchronous method stays synchronous, also where it throws (pydantic/logfire-js#335)', () => {
  const order: string[] = [];
  const failure = new Error('locked');
  const driver = instrumentation.instrumentDriver({
    execute(_input: object) {
      order.push('execute');
      return { exitCode: 0 };
    },
    syncIn(_input: object): void {
      throw failure;
    },
  });
  const { exitCode } = driver.execute(on());
  order.push('caller');
  expect(exitCode).toBe(0);
  expect(order).toEqual(['execute', 'caller']);
  expect(() => driver.syncIn(on())).toThrow(failure);
  expect(telemetry.spanNames()).toEqual(['execute sandbox', 'sync_in sandbox']);
});

// Plug-ins returned a promise of their own, without what the library's promise had beside `then`.
it('a promise that can be aborted still can (DataDog/dd-trace-js#390)', async () => {
  const aborted: string[] = [];
  const cancel = Symbol('cancel');
  const byName = Object.assign(Promise.resolve('x'), { abort: () => aborted.push('by name') });
  const bySymbol = Object.assign(Promise.resolve('x'), { [cancel]: () => aborted.push('by symbol') });
  const driver = instrumentation.instrumentDriver({
    execute: (_input: object) => byName,
    syncIn: (_input: object) => bySymbol,
  });
  driver.execute(on()).abort();
  driver.syncIn(on())[cancel]();
  expect(aborted).toEqual(['by name', 'by symbol']);
  expect(driver.execute(on())).toBe(byName);
  expect(driver.syncIn(on())).toBe(bySymbol);
});
