// @ts-check
/**
 * OpenTelemetry, started once before everything else: the instrumentation registered with a NodeSDK, spans
 * kept in memory for the report and sent by OTLP where that is asked for, and metrics for Prometheus at `/metrics`.
 */
import { createServer } from 'node:http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';
import { close, listen } from './listen.mjs';

/** @import { MetricDefinition } from 'opentelemetry-instrumentation-paperclip/semconv' */

/** @typedef {Awaited<ReturnType<typeof startTelemetry>>} Telemetry */

export const SERVICE_NAME = 'paperclip-demo';

/**
 * @param {number} port where Prometheus finds the metrics; 0 for any free port
 * @param {string} [otlp] base URL to which traces are sent; without it they stay here
 * @throws where the port cannot be had
 */
export async function startTelemetry(port, otlp) {
  /** @type {tracing.ReadableSpan[]} */
  const spans = [];
  const prometheus = new PrometheusExporter({ preventServerStart: true });
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] === '/metrics') prometheus.getMetricsRequestHandler(request, response);
    else response.writeHead(404).end();
  });
  // The exporter could listen itself, but not on a port that is free by chance.
  const metricsUrl = `${await listen(server, port)}/metrics`;

  const sending =
    otlp === undefined
      ? []
      : [
          new tracing.BatchSpanProcessor(
            new OTLPTraceExporter({ url: `${otlp.replace(/\/$/, '')}/v1/traces` }),
          ),
        ];
  const instrumentation = new PaperclipInstrumentation({ leaseInventory: true });
  // What Paperclip's bridge tells is observed where its module is loaded after this.
  await import('opentelemetry-instrumentation-paperclip/register');
  const sdk = new NodeSDK({
    serviceName: SERVICE_NAME,
    instrumentations: [instrumentation],
    spanProcessors: [collectInto(spans), ...sending],
    metricReaders: [prometheus],
    logRecordProcessors: [],
    views: viewsForPrometheus(),
    autoDetectResources: false,
  });
  sdk.start();

  return {
    instrumentation,
    metricsUrl,
    /** Every span that has ended. */
    spans,
    /**
     * Counts as it stands what nobody has recovered from yet. A host need not do this: the windows pass, and a
     * shutdown settles the rest. A report at once does not want to wait for them.
     */
    settle() {
      instrumentation.disable();
      instrumentation.enable();
    },
    /**
     * Sends the spans that have ended.
     *
     * @throws where they cannot be sent
     */
    async send() {
      for (const processor of sending) await processor.forceFlush();
    },
    /** The metrics as Prometheus would get them now. */
    collect: async () => (await prometheus.collect()).resourceMetrics,
    async shutdown() {
      await sdk.shutdown();
      close(server);
    },
  };
}

/** Prometheus' words for units; other units are no part of a name. @type {Readonly<Record<string, string>>} */
const UNITS = { s: 'seconds', By: 'bytes' };

/**
 * In Prometheus a unit is part of a metric's name, and whatever receives OTLP for Prometheus adds it. This
 * exporter does not, so a view does: one name, whichever way the metric takes.
 *
 * @param {MetricDefinition} metric
 */
export function exportedName({ name, unit }) {
  return UNITS[unit] ? `${name}.${UNITS[unit]}` : name;
}

function viewsForPrometheus() {
  const metrics = /** @type {unknown[]} */ (Object.values(semconv)).filter(isMetric);
  return metrics.map((metric) => ({ instrumentName: metric.name, name: exportedName(metric) }));
}

/**
 * @param {unknown} value
 * @returns {value is MetricDefinition}
 */
function isMetric(value) {
  return typeof value === 'object' && value !== null && 'instrument' in value;
}

/**
 * @param {tracing.ReadableSpan[]} spans
 * @returns {tracing.SpanProcessor}
 */
function collectInto(spans) {
  return {
    onStart() {},
    onEnd: (span) => void spans.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
}
