// @ts-check
/** An SDK in memory, and how large what it collected is as the OTLP exporters send it. */
import { gzipSync } from 'node:zlib';
import { ProtobufMetricsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  MetricReader,
} from '@opentelemetry/sdk-metrics';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';
import { createHost } from './host.mjs';

/** @import { Histogram, ViewOptions } from '@opentelemetry/sdk-metrics' */
/** @import { ReadableSpan } from '@opentelemetry/sdk-trace' */
/** @import { PaperclipInstrumentationConfig } from 'opentelemetry-instrumentation-paperclip' */

/** @typedef {{ plain: number, gzip: number }} Size in bytes, of a request's body */

/** As the preload `./start` names a server, and one attribute that tells servers apart. */
const resource = resourceFromAttributes({
  'service.name': 'paperclip',
  'service.version': '2026.916.1',
  'service.instance.id': '7d3c3c1e-41d5-4a3b-9a0e-6d7d6f1f8f52',
});

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

/**
 * @param {object} options
 * @param {PaperclipInstrumentationConfig} [options.config]
 * @param {'cumulative' | 'delta'} [options.temporality]
 * @param {ViewOptions[]} [options.views]
 */
export function openTelemetry({ config, temporality = 'cumulative', views = [] } = {}) {
  /** @type {ReadableSpan[]} */
  const spans = [];
  const reader = new Reader({
    // As `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE` has it.
    aggregationTemporalitySelector: (instrument) =>
      temporality === 'delta' && instrument !== InstrumentType.UP_DOWN_COUNTER
        ? AggregationTemporality.DELTA
        : AggregationTemporality.CUMULATIVE,
  });
  const instrumentation = new PaperclipInstrumentation(config);
  instrumentation.setMeterProvider(new MeterProvider({ resource, readers: [reader], views }));
  instrumentation.setTracerProvider(
    new TracerProvider({
      resource,
      spanProcessors: [
        {
          onStart() {},
          onEnd: (span) => spans.push(span),
          forceFlush: async () => {},
          shutdown: async () => {},
        },
      ],
    }),
  );
  return {
    host: createHost(instrumentation),
    spans,
    collect: async () => (await reader.collect()).resourceMetrics,
    close: () => instrumentation.disable(),
  };
}

/** @typedef {Awaited<ReturnType<ReturnType<typeof openTelemetry>['collect']>>} Collected */

/** Every metric that the package emits. @type {readonly semconv.MetricDefinition[]} */
export const METRICS = Object.entries(semconv).flatMap(([name, value]) =>
  name.startsWith('METRIC_') ? [/** @type {semconv.MetricDefinition} */ (value)] : [],
);

/**
 * @param {Collected} collected
 * @returns {Map<string, number>} how many points each metric has
 */
export function pointsOf({ scopeMetrics }) {
  return new Map(
    scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints.length]),
  );
}

/**
 * @param {Collected} collected
 * @returns {number} how many series they are in Prometheus: of a histogram its buckets, the one without an end among
 *   them, its sum and its count
 */
export function seriesOf({ scopeMetrics }) {
  const points = scopeMetrics
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ dataPoints }) => /** @type {{ value: unknown }[]} */ (dataPoints));
  return points.reduce((series, { value }) => series + (isHistogram(value) ? bucketsOf(value) + 2 : 1), 0);
}

/** @param {unknown} value @returns {value is Histogram} */
function isHistogram(value) {
  return typeof value === 'object' && value !== null && 'buckets' in value;
}

/** @param {Histogram} histogram */
function bucketsOf({ buckets }) {
  return buckets.counts.length;
}

/** @param {Collected} collected @returns {Size} */
export function sizeOfMetrics(collected) {
  return sizeOf(ProtobufMetricsSerializer.serializeRequest(collected));
}

/** @param {ReadableSpan[]} spans @returns {Size} */
export function sizeOfSpans(spans) {
  return sizeOf(ProtobufTraceSerializer.serializeRequest(spans));
}

/** @param {string | Uint8Array | undefined} body @returns {Size} */
export function sizeOf(body = '') {
  return { plain: Buffer.byteLength(body), gzip: gzipSync(body).byteLength };
}
