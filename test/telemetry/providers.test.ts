import { metrics, ProxyTracerProvider, trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PaperclipInstrumentation } from '../../src/index.js';
import { makeDriver, nonPluginLease, on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

let first: TestTelemetry;
let second: TestTelemetry;
beforeEach(() => {
  first = new TestTelemetry();
  second = new TestTelemetry();
});
afterEach(() => {
  for (const api of [trace, metrics, logs]) api.disable();
  vi.unstubAllEnvs();
});

function setGlobal(telemetry: TestTelemetry): void {
  for (const api of [trace, metrics, logs]) api.disable();
  trace.setGlobalTracerProvider(telemetry.tracerProvider);
  metrics.setGlobalMeterProvider(telemetry.meterProvider);
  logs.setGlobalLoggerProvider(telemetry.loggerProvider);
}

/** How many spans and points arrived there. */
async function received(telemetry: TestTelemetry): Promise<[spans: number, points: number]> {
  const points = await telemetry.durations();
  return [telemetry.spans().length, points.reduce((sum, { count }) => sum + count, 0)];
}

describe('an instrumentation that nobody gave providers', () => {
  it('emits spans and metrics as soon as an SDK is registered, and not before', async () => {
    const driver = new PaperclipInstrumentation().instrumentDriver(makeDriver());
    await driver.execute(on());
    setGlobal(first);
    await driver.execute(on());
    expect(await received(first)).toEqual([1, 1]);
  });

  it('emits metrics where there is no tracer provider, and spans where there is no meter provider', async () => {
    const driver = new PaperclipInstrumentation().instrumentDriver(makeDriver());
    metrics.setGlobalMeterProvider(first.meterProvider);
    await driver.execute(on());
    metrics.disable();
    trace.setGlobalTracerProvider(second.tracerProvider);
    await driver.execute(on());
    expect(await received(first)).toEqual([0, 1]);
    expect(await received(second)).toEqual([1, 0]);
  });

  it('follows providers that are replaced', async () => {
    const driver = new PaperclipInstrumentation().instrumentDriver(makeDriver());
    setGlobal(first);
    await driver.execute(on());
    setGlobal(second);
    await driver.execute(on());
    await driver.execute(on());
    expect(await received(first)).toEqual([1, 1]);
    expect(await received(second)).toEqual([2, 2]);
  });

  it('follows logs, too', async () => {
    vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs');
    const driver = new PaperclipInstrumentation().instrumentDriver(makeDriver());
    setGlobal(first);
    await driver.openDuplexChannel(on(nonPluginLease)).catch(() => {});
    setGlobal(second);
    await driver.openDuplexChannel(on(nonPluginLease)).catch(() => {});
    expect([first.logs().length, second.logs().length]).toEqual([1, 1]);
  });

  it('emits log records where there is nothing else, and only where exceptions are log records', async () => {
    logs.setGlobalLoggerProvider(first.loggerProvider);
    const fail = async (instrumentation: PaperclipInstrumentation) => {
      const driver = instrumentation.instrumentDriver(makeDriver());
      await driver.openDuplexChannel(on(nonPluginLease)).catch(() => {});
      return first.logs().length;
    };
    expect(await fail(new PaperclipInstrumentation())).toBe(0);
    vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs');
    expect(await fail(new PaperclipInstrumentation())).toBe(1);
  });

  it('still follows after it was registered before any SDK, as a NodeSDK does at its start', async () => {
    const instrumentation = new PaperclipInstrumentation();
    const driver = instrumentation.instrumentDriver(makeDriver());
    registerInstrumentations({ instrumentations: [instrumentation] });
    setGlobal(first);
    instrumentation.setMeterProvider(metrics.getMeterProvider());
    await driver.execute(on());
    setGlobal(second);
    await driver.execute(on());
    expect(await received(first)).toEqual([1, 1]);
    expect(await received(second)).toEqual([1, 1]);
  });

  it('takes the placeholder of another copy of the API for no provider', async () => {
    const instrumentation = new PaperclipInstrumentation();
    instrumentation.setTracerProvider(new ProxyTracerProvider());
    setGlobal(first);
    await instrumentation.instrumentDriver(makeDriver()).execute(on());
    expect(await received(first)).toEqual([1, 1]);
  });
});

describe('an instrumentation that was given providers', () => {
  it('keeps to them, whatever becomes global', async () => {
    const instrumentation = first.instrument();
    const driver = instrumentation.instrumentDriver(makeDriver());
    setGlobal(second);
    await driver.execute(on());
    expect(await received(first)).toEqual([1, 1]);
    expect(await received(second)).toEqual([0, 0]);
  });

  it('takes others that it is given later', async () => {
    const instrumentation = first.instrument();
    second.attach(instrumentation);
    await instrumentation.instrumentDriver(makeDriver()).execute(on());
    expect(await received(first)).toEqual([0, 0]);
    expect(await received(second)).toEqual([1, 1]);
  });

  it('follows the global ones again when it is given those', async () => {
    const instrumentation = first.instrument();
    setGlobal(second);
    registerInstrumentations({ instrumentations: [instrumentation] });
    await instrumentation.instrumentDriver(makeDriver()).execute(on());
    expect(await received(first)).toEqual([0, 0]);
    expect(await received(second)).toEqual([1, 1]);
  });
});
