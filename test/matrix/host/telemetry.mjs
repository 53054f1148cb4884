/** The SDK of a host, with exporters in memory. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';

export function startTelemetry() {
  const spans = new InMemorySpanExporter();
  const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 2 ** 31 - 1 });
  const sdk = new NodeSDK({
    autoDetectResources: false,
    instrumentations: [],
    spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
    metricReaders: [reader],
  });
  sdk.start();

  /** Everything that was exported, but for ids and times. */
  async function take() {
    await reader.forceFlush();
    const scopes = points.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return {
      spans: spans
        .getFinishedSpans()
        .map(({ name, attributes, status }) => ({ name, status: status.code, attributes })),
      metrics: scopes.flatMap(({ metrics }) => metrics.map(describe)),
    };
  }
  return { take };
}

function describe({ descriptor: { name }, dataPoints }) {
  const points = dataPoints.map(({ attributes, value }) => ({
    attributes,
    value: typeof value === 'number' ? value : value.count,
  }));
  return { name, points };
}
