/** How long the oldest operation has been under way, for the process. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { completeLease, environment } from '../support/host.js';
import { deferred, forgetRunning, TestTelemetry } from '../support/telemetry.js';

const OLDEST = 'paperclip.environment.operation.oldest';

let telemetry: TestTelemetry;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  forgetRunning();
  telemetry = new TestTelemetry();
});
afterEach(() => vi.useRealTimers());

/** Starts an operation that ends when it is told to. */
function start(
  instrumentation: Pick<PaperclipInstrumentation, 'instrumentDriver'>,
  { method = 'execute', provider = 'daytona', driver = 'sandbox' } = {},
): () => Promise<void> {
  const gate = deferred<object>();
  const instrumented = instrumentation.instrumentDriver({ driver, [method]: () => gate.promise });
  const config = { provider };
  const lease = { ...completeLease, metadata: { provider } };
  const call = instrumented[method] as (input: object) => Promise<object>;
  const ended = call({ environment: { ...environment, driver, config }, lease });
  return async () => {
    gate.resolve({});
    await ended;
  };
}

async function ages(of = telemetry): Promise<Record<string, number>> {
  const points = await of.counter(OLDEST);
  return Object.fromEntries(
    points.map(({ attributes, value }) => [Object.values(attributes).join(' '), value]),
  );
}

it('is told of each operation, driver and provider', async () => {
  const instrumentation = telemetry.instrument();
  start(instrumentation);
  vi.advanceTimersByTime(1000);
  start(instrumentation, { provider: 'e2b' });
  start(instrumentation, { provider: 'my-own' });
  start(instrumentation, { driver: 'ssh', provider: 'ssh' });
  start(instrumentation, { method: 'acquireRunLease' });
  vi.advanceTimersByTime(500);
  start(instrumentation);
  expect(await ages()).toEqual({
    'execute sandbox daytona': 1.5,
    'execute sandbox e2b': 0.5,
    'execute sandbox _OTHER': 0.5,
    'execute ssh': 0.5,
    'acquire_run_lease sandbox daytona': 0.5,
  });
});

it('is that of the next one when the oldest ends, and zero when none is left', async () => {
  const instrumentation = telemetry.instrument();
  const ends: (() => Promise<void>)[] = [];
  for (let count = 0; count < 4; count += 1) {
    ends.push(start(instrumentation));
    vi.advanceTimersByTime(1000);
  }
  const [first, second, third, fourth] = ends;
  const left: unknown[] = [];
  for (const end of [second, first, fourth, third]) {
    await end?.();
    left.push(await ages());
  }
  const of = (age: number) => ({ 'execute sandbox daytona': age });
  expect(left).toEqual([of(4), of(2), of(2), of(0)]);
});

it('is not told where nothing has run, nor of an operation that cannot be followed', async () => {
  const instrumentation = telemetry.instrument();
  // biome-ignore lint/suspicious/noThenProperty: what may be lazy is not followed
  instrumentation.instrumentDriver({ execute: () => ({ then() {} }) }).execute();
  expect(await ages()).toEqual({});
});

it('is told under the driver and provider that an inner call of the operation knows', async () => {
  const instrumentation = telemetry.instrument();
  const gate = deferred<void>();
  const driver = { driver: 'sandbox', execute: (_input: object) => gate.promise };
  const service = instrumentation.instrumentRuntime({
    getDriver: () => driver,
    execute: (_input: object) => driver.execute({ environment, lease: completeLease }),
  });
  void service.execute({});
  expect(await ages()).toEqual({ 'execute sandbox daytona': 0 });
});

describe('is that of the process', () => {
  async function copyOfThePackage() {
    vi.resetModules();
    const copy = await import('../../src/index.js');
    const instrumentation = new copy.PaperclipInstrumentation();
    telemetry.attach(instrumentation as never);
    return instrumentation;
  }

  it.each([
    ['with two instances on one meter', async () => telemetry.instrument()],
    ['with two copies of the package', copyOfThePackage],
  ])('%s', async (_title, other) => {
    const end = start(telemetry.instrument());
    vi.advanceTimersByTime(1000);
    start(await other());
    vi.advanceTimersByTime(1000);
    expect(await ages()).toEqual({ 'execute sandbox daytona': 2 });
    await end();
    expect(await ages()).toEqual({ 'execute sandbox daytona': 1 });
  });

  it('also after the provider of meters was replaced', async () => {
    const instrumentation = telemetry.instrument();
    start(instrumentation);
    vi.advanceTimersByTime(1000);
    const later = new TestTelemetry();
    later.attach(instrumentation);
    start(instrumentation, { provider: 'e2b' });
    expect(await ages(later)).toEqual({ 'execute sandbox daytona': 1, 'execute sandbox e2b': 0 });
  });

  it('of what began before the instance was disabled, until it ends', async () => {
    const instrumentation = telemetry.instrument();
    const end = start(instrumentation);
    instrumentation.disable();
    start(instrumentation, { provider: 'e2b' });
    vi.advanceTimersByTime(1000);
    expect(await ages()).toEqual({ 'execute sandbox daytona': 1 });
    await end();
    expect(await ages()).toEqual({ 'execute sandbox daytona': 0 });
  });
});
