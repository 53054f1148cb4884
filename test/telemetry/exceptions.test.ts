import { SeverityNumber } from '@opentelemetry/api-logs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeDriver, makeService, nonPluginLease, on, UNSUPPORTED } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

const OPT_IN = 'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN';

let telemetry: TestTelemetry;
beforeEach(() => {
  telemetry = new TestTelemetry();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const exception = {
  'exception.type': 'Error',
  'exception.message': UNSUPPORTED,
  'exception.stacktrace': expect.stringMatching(/^Error: Sandbox driver does not support.*\n\s+at /),
};

describe(OPT_IN, () => {
  it.each([
    [undefined, { events: 1, logs: 0 }],
    ['', { events: 1, logs: 0 }],
    ['unknown', { events: 1, logs: 0 }],
    ['logs', { events: 0, logs: 1 }],
    ['logs/dup', { events: 1, logs: 1 }],
  ])('set to %s gives %o', async (value, expected) => {
    vi.stubEnv(OPT_IN, value);
    const driver = telemetry.instrument().instrumentDriver(makeDriver());
    await driver.openDuplexChannel(on(nonPluginLease)).catch(() => {});
    const { events } = telemetry.span();
    const logs = telemetry.logs();
    expect({ events: events.length, logs: logs.length }).toEqual(expected);
    for (const event of events) {
      expect(event.name).toBe('exception');
      expect(event.attributes).toEqual(exception);
    }
    for (const log of logs) {
      expect(log.eventName).toBe('paperclip.environment.operation.exception');
      expect(log.severityNumber).toBe(SeverityNumber.WARN);
      expect(log.spanContext?.spanId).toBe(telemetry.span().spanContext().spanId);
      expect(log.attributes).toEqual({
        ...exception,
        'error.type': 'unsupported-driver-operation',
        'paperclip.environment.operation.name': 'open_duplex_channel',
      });
    }
  });
});

describe('the detail of an error', () => {
  const error = Object.assign(new RangeError('password=hunter2'), { code: 'E_SECRET' });
  const failing = { execute: async (_input: object) => Promise.reject(error) };

  it('is its type alone where no record matched, and only in the log: the span says no less', async () => {
    vi.stubEnv(OPT_IN, 'logs/dup');
    await telemetry
      .instrument()
      .instrumentDriver({ ...failing })
      .execute(on())
      .catch(() => {});
    expect(telemetry.span().events).toEqual([]);
    expect(telemetry.logs().map(({ attributes }) => attributes)).toEqual([
      {
        'exception.type': 'RangeError',
        'error.type': 'E_SECRET',
        'paperclip.environment.operation.name': 'execute',
      },
    ]);
  });

  it('is everything with errorDetail: full', async () => {
    const instrumentation = telemetry.instrument({ errorDetail: 'full' });
    await instrumentation
      .instrumentDriver({ ...failing })
      .execute(on())
      .catch(() => {});
    expect(telemetry.span().events[0]?.attributes).toEqual({
      'exception.type': 'RangeError',
      'exception.message': 'password=hunter2',
      'exception.stacktrace': error.stack,
    });
  });

  it('has no stack where the stack begins with another text than the fixed message', async () => {
    const reworded = new Error('password=hunter2\n    at hunter2 (x:1:2)');
    // V8 writes the text of a stack when it is first read.
    expect(reworded.stack).toContain('hunter2');
    reworded.message = UNSUPPORTED;
    const driver = telemetry.instrument().instrumentDriver({
      openDuplexChannel: async (_input: object) => Promise.reject(reworded),
    });
    await driver.openDuplexChannel(on()).catch(() => {});
    expect(telemetry.span().events[0]?.attributes).toEqual({
      'exception.type': 'Error',
      'exception.message': UNSUPPORTED,
    });
  });

  it('is the type alone where only an error inside it was recognised', async () => {
    const wrapped = new Error('host=10.0.0.1', { cause: new Error(UNSUPPORTED) });
    const driver = telemetry.instrument().instrumentDriver({
      openDuplexChannel: async (_input: object) => Promise.reject(wrapped),
    });
    await driver.openDuplexChannel(on()).catch(() => {});
    expect(telemetry.span().attributes['error.type']).toBe('unsupported-driver-operation');
    expect(telemetry.span().events[0]?.attributes).toEqual({ 'exception.type': 'Error' });
  });
});

describe('an error that crosses several operations', () => {
  const fail = () => Promise.reject(new Error(UNSUPPORTED));
  const withEvents = () => telemetry.spans().map(({ name, events }) => [name, events.length]);

  it('is recorded by the innermost that it leaves', async () => {
    const instrumentation = telemetry.instrument();
    const inner = instrumentation.instrumentDriver({ destroyRunLease: fail });
    const middle = instrumentation.instrumentDriver({ syncOut: () => inner.destroyRunLease() });
    const outer = instrumentation.instrumentDriver({ releaseRunLease: () => middle.syncOut() });
    await outer.releaseRunLease().catch(() => {});
    expect(withEvents()).toEqual([
      ['destroy_run_lease', 1],
      ['sync_out', 0],
      ['release_run_lease', 0],
    ]);
  });

  it('is recorded again where another operation throws it', async () => {
    const error = new Error(UNSUPPORTED);
    const driver = telemetry.instrument().instrumentDriver({ syncIn: () => Promise.reject(error) });
    await driver.syncIn().catch(() => {});
    await driver.syncIn().catch(() => {});
    expect(withEvents()).toEqual([
      ['sync_in', 1],
      ['sync_in', 1],
    ]);
  });

  it('is recorded by each of them where it is a primitive', async () => {
    const instrumentation = telemetry.instrument({ errorDetail: 'full' });
    const inner = instrumentation.instrumentDriver({ destroyRunLease: () => Promise.reject('text') });
    const outer = instrumentation.instrumentDriver({ releaseRunLease: () => inner.destroyRunLease() });
    await outer.releaseRunLease().catch(() => {});
    expect(withEvents()).toEqual([
      ['destroy_run_lease', 1],
      ['release_run_lease', 1],
    ]);
  });

  it('is recorded where it stops, when an operation further out handles it', async () => {
    const driver = { ...makeDriver(), releaseRunLease: fail };
    const service = telemetry.instrument().instrumentRuntime(makeService({}, { drivers: [driver] }));
    await service.releaseRunLeases('run-1', 'released', [on(), on()]);
    expect(withEvents()).toEqual([
      ['release_run_lease sandbox', 1],
      ['release_run_lease sandbox', 1],
      ['release_run_leases', 0],
    ]);
  });

  it('ends the span of the operation, although the outer one may never end', async () => {
    const instrumentation = telemetry.instrument();
    const inner = instrumentation.instrumentDriver({ destroyRunLease: fail });
    const outer = instrumentation.instrumentDriver({
      async releaseRunLease() {
        await inner.destroyRunLease().catch(() => {});
        await new Promise(() => {});
      },
    });
    outer.releaseRunLease();
    await vi.waitFor(() => expect(withEvents()).toEqual([['destroy_run_lease', 1]]));
  });

  it('is recorded when many fail inside one operation, each once', async () => {
    const instrumentation = telemetry.instrument();
    const inner = instrumentation.instrumentDriver({ destroyRunLease: fail });
    const outer = instrumentation.instrumentDriver({
      async releaseRunLease() {
        for (let n = 0; n < 200; n += 1) await inner.destroyRunLease().catch(() => {});
      },
    });
    await outer.releaseRunLease();
    expect(withEvents().filter(([, events]) => events === 1)).toHaveLength(200);
    expect(telemetry.spans()).toHaveLength(201);
  });

  it('is recorded at once when the outer operation has ended', async () => {
    const instrumentation = telemetry.instrument();
    const inner = instrumentation.instrumentDriver({ destroyRunLease: fail });
    let later: Promise<unknown> = Promise.resolve();
    const outer = instrumentation.instrumentDriver({
      releaseRunLease() {
        later = new Promise((resolve) => setTimeout(resolve)).then(() => inner.destroyRunLease());
      },
    });
    outer.releaseRunLease();
    await later.catch(() => {});
    expect(withEvents()).toEqual([
      ['release_run_lease', 0],
      ['destroy_run_lease', 1],
    ]);
  });
});
