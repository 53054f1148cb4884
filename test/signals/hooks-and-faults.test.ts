import { context, DiagLogLevel, diag, metrics, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeDriver, nonPluginLease, on, UNSUPPORTED } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

let telemetry: TestTelemetry;
let warnings: string[];
/** The package as freshly loaded: it reports each kind of fault once for a process. */
let fresh: typeof import('../../src/index.js');
beforeEach(async () => {
  telemetry = new TestTelemetry();
  warnings = [];
  const warn = (...parts: unknown[]) => warnings.push(parts.join(' '));
  diag.setLogger(
    { error: warn, warn, info() {}, debug() {}, verbose() {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  vi.resetModules();
  fresh = await import('../../src/index.js');
});
afterEach(() => {
  vi.restoreAllMocks();
});

function instrumented(config: ConstructorParameters<typeof fresh.PaperclipInstrumentation>[0] = {}) {
  const instrumentation = new fresh.PaperclipInstrumentation(config);
  telemetry.attach(instrumentation as never);
  return instrumentation.instrumentDriver(makeDriver());
}

describe('hooks', () => {
  it('are told of the request and of the response, once for an operation', async () => {
    const calls: unknown[] = [];
    const driver = instrumented({
      requestHook: (span, request) => {
        span.setAttribute('mine', 'yes');
        calls.push(request);
      },
      responseHook: (_span, response) => calls.push(response),
    });
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
    expect(telemetry.spans()[0]?.attributes.mine).toBe('yes');
  });

  it('may throw or reject without anybody but diag noticing, once for each hook', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const driver = instrumented({
      requestHook: () => {
        throw new Error('my secret');
      },
      responseHook: (async () => {
        throw new Error('my secret');
      }) as never,
    });
    for (let n = 0; n < 3; n += 1) expect(await driver.execute(on())).toMatchObject({ exitCode: 3 });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(telemetry.spans()).toHaveLength(3);
    expect(warnings.map((warning) => warning.replace(/^.*?paperclip /, ''))).toEqual([
      'requestHook failed (Error); the operation itself is not affected. Reported once.',
      'responseHook failed (Error); the operation itself is not affected. Reported once.',
    ]);
  });
});

describe('a fault of our own', () => {
  const throwing = () => {
    throw new Error('fault');
  };

  it.each([
    ['the tracer', () => vi.spyOn(telemetry.tracerProvider, 'getTracer').mockImplementation(throwing)],
    ['the meter', () => vi.spyOn(telemetry.meterProvider, 'getMeter').mockImplementation(throwing)],
    ['the context manager', () => vi.spyOn(context, 'with').mockImplementation(throwing)],
    ['the lookup of the active context', () => vi.spyOn(context, 'active').mockImplementation(throwing)],
    ['the global tracer provider', () => vi.spyOn(trace, 'getTracerProvider').mockImplementation(throwing)],
    ['the global meter provider', () => vi.spyOn(metrics, 'getMeterProvider').mockImplementation(throwing)],
    ['the clock', () => vi.spyOn(performance, 'now').mockImplementation(throwing)],
  ])('in %s reaches neither a success nor a failure of the host', async (_part, breakIt) => {
    const driver = instrumented();
    breakIt();
    for (let n = 0; n < 3; n += 1) {
      expect(await driver.execute(on())).toMatchObject({ exitCode: 3 });
      await expect(driver.openDuplexChannel(on(nonPluginLease))).rejects.toThrow(UNSUPPORTED);
    }
    vi.restoreAllMocks();
    expect(new Set(warnings).size).toBe(warnings.length);
    expect(await driver.execute(on())).toMatchObject({ exitCode: 3 });
  });

  it('in the context manager that calls twice, or not at all, leaves one call of the host', async () => {
    const execute = vi.fn(async (_input: object) => 'done');
    const instrumentation = new fresh.PaperclipInstrumentation();
    telemetry.attach(instrumentation as never);
    const driver = instrumentation.instrumentDriver({ execute });
    vi.spyOn(context, 'with').mockImplementation((_context, fn) => {
      fn.call(undefined as never);
      return fn.call(undefined as never);
    });
    expect(await driver.execute(on())).toBe('done');
    vi.spyOn(context, 'with').mockImplementation(() => undefined as never);
    expect(await driver.execute(on())).toBe('done');
    expect(execute).toHaveBeenCalledTimes(2);
    expect(telemetry.spans()).toHaveLength(2);
  });

  it('in the clock, from one call to the next, changes nothing for the host', async () => {
    const driver = instrumented();
    vi.spyOn(performance, 'now').mockReturnValueOnce(1).mockImplementation(throwing);
    expect(await driver.execute(on())).toMatchObject({ exitCode: 3 });
    vi.restoreAllMocks();
    expect(await telemetry.active()).toBe(0);
  });

  it('in a span leaves the metrics exact', async () => {
    const driver = instrumented();
    const span = Object.getPrototypeOf(telemetry.tracerProvider.getTracer('x').startSpan('x'));
    vi.spyOn(span, 'setAttributes').mockImplementation(throwing);
    vi.spyOn(span, 'end').mockImplementation(throwing);
    await driver.execute(on());
    expect((await telemetry.durations()).map(({ count }) => count)).toEqual([1]);
    expect(await telemetry.active()).toBe(0);
  });
});
