import { metrics, trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { LoggerProvider, type LogRecordProcessor, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { SimpleSpanProcessor, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectUnnoticed, listen, load, playPlain, watchRejections } from './harness.js';
import { play } from './scenario.js';

let plain: string[];
beforeAll(async () => {
  vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs/dup');
  plain = await playPlain();
});
afterEach(() => {
  for (const api of [trace, metrics, logs]) api.disable();
});

type Done = (result: ExportResult) => void;
const throwing = () => {
  throw new Error('exporter');
};
/** What an exporter does when it is given something. (One that rejects is not here: the SDK drops its promise.) */
const EXPORTERS: [what: string, work: (items: unknown, done: Done) => unknown][] = [
  ['throws', throwing],
  ['fails', (_items, done) => done({ code: ExportResultCode.FAILED, error: new Error('exporter') })],
  ['fails without a reason', (_items, done) => done({ code: ExportResultCode.FAILED })],
  ['answers nonsense', (_items, done) => done(undefined as never)],
  ['answers twice', (_items, done) => [1, 2].map(() => done({ code: ExportResultCode.SUCCESS }))],
  ['never answers', () => {}],
];

const idle = { onStart() {}, onEnd() {}, onEmit() {}, forceFlush: async () => {}, shutdown: async () => {} };

/** The SDK with these parts in it, behind the global API. */
function register(parts: {
  spans?: SpanProcessor;
  records?: LogRecordProcessor;
  points?: PeriodicExportingMetricReader;
}): MeterProvider {
  const spanProcessors = [parts.spans ?? idle];
  const processors = [parts.records ?? idle];
  const meterProvider = new MeterProvider({ readers: parts.points ? [parts.points] : [] });
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
  logs.setGlobalLoggerProvider(new LoggerProvider({ processors }));
  metrics.setGlobalMeterProvider(meterProvider);
  return meterProvider;
}

async function playFourTimes(onPlayed: () => unknown = () => {}) {
  const said = listen();
  const { done: seen, unhandled } = await watchRejections(async () => {
    const loaded = await load();
    const journals: string[][] = [];
    while (journals.length < 4) {
      journals.push(await play(loaded));
      await onPlayed();
    }
    loaded.instrumentation.disable();
    return journals;
  });
  return { seen, unhandled, ...said };
}

describe('an exporter', () => {
  it.each(EXPORTERS)('of spans that %s is not noticed', async (_what, work) => {
    const exporter = { export: work, shutdown: async () => {}, forceFlush: async () => {} };
    register({ spans: new SimpleSpanProcessor({ exporter } as never) });
    const played = await playFourTimes();
    expect(expectUnnoticed(played, plain)).toEqual([]);
  });

  it.each(EXPORTERS)('of log records that %s is not noticed', async (_what, work) => {
    const exporter = { export: work, shutdown: async () => {}, forceFlush: async () => {} };
    register({ records: new SimpleLogRecordProcessor({ exporter } as never) });
    const played = await playFourTimes();
    expect(expectUnnoticed(played, plain)).toEqual([]);
  });

  it.each(EXPORTERS)('of metrics that %s is not noticed', async (_what, work) => {
    const exporter = {
      export: work,
      selectAggregationTemporality: () => AggregationTemporality.DELTA,
      shutdown: async () => {},
      forceFlush: async () => {},
    };
    const points = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: 10,
      exportTimeoutMillis: 10,
    } as never);
    const provider = register({ points });
    const played = await playFourTimes(() => provider.forceFlush().catch(() => {}));
    await provider.shutdown().catch(() => {});
    expect(expectUnnoticed(played, plain)).toEqual([]);
  });
});

describe('a processor', () => {
  it.each([
    ['onStart', 'starting a span failed'],
    ['onEnd', 'ending a span failed'],
  ])('of spans whose %s throws is not noticed, but for one line', async (method, kind) => {
    register({ spans: { ...idle, [method]: throwing } });
    expect(expectUnnoticed(await playFourTimes(), plain)).toEqual([kind]);
  });

  it('of log records that throws is not noticed, but for one line', async () => {
    register({ records: { ...idle, onEmit: throwing } });
    expect(expectUnnoticed(await playFourTimes(), plain)).toEqual(['recording an exception failed']);
  });
});
