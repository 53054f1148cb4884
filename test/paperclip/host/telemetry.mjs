/** A real SDK that keeps what it exports, and hands over what has come since the last time. */
import { logs, metrics, NodeSDK, tracing } from '@opentelemetry/sdk-node';

export function startTelemetry() {
  const spans = new tracing.InMemorySpanExporter();
  const records = new logs.InMemoryLogRecordExporter();
  // Delta, so that a step has the points of its own operations only.
  const points = new metrics.InMemoryMetricExporter(metrics.AggregationTemporality.DELTA);
  const reader = new metrics.PeriodicExportingMetricReader({
    exporter: points,
    exportIntervalMillis: 2 ** 31 - 1,
  });
  const sdk = new NodeSDK({
    autoDetectResources: false,
    instrumentations: [],
    spanProcessors: [new tracing.SimpleSpanProcessor(spans)],
    logRecordProcessors: [new logs.SimpleLogRecordProcessor({ exporter: records })],
    metricReaders: [reader],
  });
  sdk.start();

  return {
    async take() {
      await reader.forceFlush();
      const exportedSpans = spans.getFinishedSpans();
      const taken = {
        traceparents: exportedSpans.map(traceparentOf),
        spans: exportedSpans.map((span) => describeSpan(span, exportedSpans)),
        metrics: points.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(describeMetrics)),
        logs: records.getFinishedLogRecords().map((record) => describeRecord(record, exportedSpans)),
      };
      spans.reset();
      points.reset();
      records.reset();
      return taken;
    },
  };
}

/** Everything of a span but its ids and times; another span is named by its position. */
function describeSpan(span, all) {
  const { name, kind, status, attributes, events, links } = span;
  const parent = span.parentSpanContext;
  return {
    scope: span.instrumentationScope.name,
    scopeVersion: span.instrumentationScope.version,
    name,
    kind,
    status,
    attributes,
    events: events.map((event) => ({ name: event.name, attributes: event.attributes })),
    links: links.map(({ context, attributes: of }) => ({ span: positionOf(context, all), attributes: of })),
    parent: parent === undefined ? null : positionOf(parent, all),
  };
}

/** As a process finds it that is told of the span. */
function traceparentOf(span) {
  const { traceId, spanId } = span.spanContext();
  return `TRACEPARENT=00-${traceId}-${spanId}-01`;
}

function describeMetrics({ scope, metrics: all }) {
  return all
    .map((metric) => ({ ...metric, dataPoints: metric.dataPoints.filter(saysSomethingOf(metric)) }))
    .filter(({ dataPoints }) => dataPoints.length > 0)
    .map(({ descriptor: { name, unit }, dataPoints }) => ({
      scope: scope.name,
      name,
      unit,
      points: dataPoints.map(({ attributes, value }) =>
        typeof value === 'number'
          ? { attributes, value }
          : { attributes, count: value.count, boundaries: value.buckets.boundaries },
      ),
    }));
}

const UNDER_WAY = [
  'paperclip.environment.operation.active',
  'paperclip.environment.operation.oldest',
  'paperclip.duplex.channel.active',
];

/** What is under way is told of everything that ever was; where that is nothing, it says nothing of this step. */
function saysSomethingOf({ descriptor: { name } }) {
  return ({ value }) => !UNDER_WAY.includes(name) || value !== 0;
}

function describeRecord(record, all) {
  const { eventName, severityNumber, severityText, body, attributes, spanContext } = record;
  return {
    scope: record.instrumentationScope.name,
    eventName,
    severityNumber,
    severityText,
    body: body ?? null,
    attributes,
    span: spanContext === undefined ? null : positionOf(spanContext, all),
  };
}

function positionOf({ spanId }, all) {
  return all.findIndex((span) => span.spanContext().spanId === spanId);
}
