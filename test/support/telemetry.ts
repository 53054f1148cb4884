/** OpenTelemetry's own SDK, in memory, for one test. */
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, type SdkLogRecord } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import { PaperclipInstrumentation, type PaperclipInstrumentationConfig } from '../../src/index.js';
import { shared } from '../../src/shared.js';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** What ends is at hand at once; the exporters of the SDK wait for the resource first. */
const nothingToFlush = { forceFlush: async () => {}, shutdown: async () => {} };

/** Forgets what other tests left open: what is under way, and what the table of leases said, are the process's. */
export function forgetRunning(): void {
  for (const counts of Object.values(shared.running)) counts.clear();
  Object.assign(shared.ends, { first: undefined, last: undefined });
  clearTimeout(shared.inventory.timer);
  Object.assign(shared.inventory, {
    database: undefined,
    askedAt: Number.NEGATIVE_INFINITY,
    isAsked: false,
    timer: undefined,
    answer: undefined,
  });
}

/** A promise to settle from outside. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** One point of a histogram as the tests compare it. */
export interface HistogramPoint {
  readonly attributes: Record<string, unknown>;
  readonly count: number;
}

/** One point of a counter as the tests compare it. */
export interface CounterPoint {
  readonly attributes: Record<string, unknown>;
  readonly value: number;
}

export class TestTelemetry {
  readonly #spans: ReadableSpan[] = [];
  readonly #logs: SdkLogRecord[] = [];
  readonly reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 2 ** 30,
  });
  readonly tracerProvider = new TracerProvider({
    resource: resourceFromAttributes({}),
    spanProcessors: [{ onStart() {}, onEnd: (span) => this.#spans.push(span), ...nothingToFlush }],
  });
  readonly meterProvider = new MeterProvider({ readers: [this.reader] });
  readonly loggerProvider = new LoggerProvider({
    processors: [{ onEmit: (record) => this.#logs.push(record), ...nothingToFlush }],
  });

  /** An instrumentation that emits here. */
  instrument(config?: PaperclipInstrumentationConfig): PaperclipInstrumentation {
    const instrumentation = new PaperclipInstrumentation(config);
    this.attach(instrumentation);
    return instrumentation;
  }

  attach(instrumentation: PaperclipInstrumentation): void {
    instrumentation.setTracerProvider(this.tracerProvider);
    instrumentation.setMeterProvider(this.meterProvider);
    instrumentation.setLoggerProvider(this.loggerProvider);
  }

  spans() {
    return this.#spans;
  }

  /** The only finished span. */
  span() {
    const [span, ...others] = this.spans();
    if (span === undefined || others.length > 0)
      throw new Error(`expected one span, not ${this.spans().length}`);
    return span;
  }

  spanNames(): string[] {
    return this.spans().map((span) => span.name);
  }

  logs() {
    return this.#logs;
  }

  async metric(name: string): Promise<readonly DataPoint<unknown>[]> {
    const { resourceMetrics } = await this.reader.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  }

  async histogram(name: string): Promise<HistogramPoint[]> {
    const points = await this.metric(name);
    return points.map(({ attributes, value }) => ({ attributes, count: (value as Histogram).count }));
  }

  /** The points of a counter. */
  async counter(name: string): Promise<CounterPoint[]> {
    const points = await this.metric(name);
    return points.map(({ attributes, value }) => ({ attributes, value: value as number }));
  }

  durations(): Promise<HistogramPoint[]> {
    return this.histogram('paperclip.environment.operation.duration');
  }

  /** Operations under way, over all attribute sets. */
  async active(): Promise<number> {
    const points = await this.metric('paperclip.environment.operation.active');
    return points.reduce((sum, { value }) => sum + (value as number), 0);
  }
}
