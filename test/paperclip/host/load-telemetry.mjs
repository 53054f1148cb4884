/** A real SDK that keeps of each point its value, and of each span what the load's ledger knows of it. */
import { context, metrics as globalMetrics, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { metrics, NodeSDK, tracing } from '@opentelemetry/sdk-node';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  EVENT_EXCEPTION,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { addTo, spanText } from '../../load/ledger.ts';

const SCOPE = 'opentelemetry-instrumentation-paperclip';

/** Makes the call in a context of its own, whose span tells which call it is. */
export function inCall(number, random, work) {
  const hex = (value, length) => value.toString(16).padStart(length, '0');
  const traceId = [1, 2, 3, 4].map(() => hex(random.below(2 ** 32), 8)).join('');
  const spanContext = { traceId, spanId: hex(number, 16), traceFlags: 1 };
  return context.with(trace.setSpanContext(ROOT_CONTEXT, spanContext), work);
}

/** Points of one provider, as its readers hand them over. */
class Points {
  cumulative = new Map();
  delta = new Map();

  readers() {
    return [
      this.#reader(metrics.AggregationTemporality.CUMULATIVE, () => {
        this.cumulative = new Map();
        return this.cumulative;
      }),
      this.#reader(metrics.AggregationTemporality.DELTA, () => this.delta),
    ];
  }

  #reader(temporality, pointsOf) {
    const exporter = {
      selectAggregationTemporality: () => temporality,
      export({ scopeMetrics }, done) {
        const points = pointsOf();
        for (const { scope, metrics: all } of scopeMetrics)
          if (scope.name === SCOPE)
            for (const { descriptor, dataPoints } of all) {
              // An age is no count.
              if (descriptor.name === METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST.name) continue;
              for (const { attributes, value } of dataPoints)
                addTo(points, descriptor.name, attributes, value.count ?? value);
            }
        done({ code: 0 });
      },
      async forceFlush() {},
      async shutdown() {},
    };
    return new metrics.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 });
  }
}

/**
 * Starts an SDK.
 *
 * @param sampler which spans to export
 */
export function startLoadTelemetry(sampler) {
  const ended = [];
  const processor = {
    onStart() {},
    onEnd: (span) => span.instrumentationScope.name === SCOPE && ended.push(span),
    async forceFlush() {},
    async shutdown() {},
  };
  const all = [new Points()];
  const providers = [];
  const sdk = new NodeSDK({
    autoDetectResources: false,
    instrumentations: [],
    sampler,
    spanProcessors: [processor],
    metricReaders: all[0].readers(),
  });
  sdk.start();
  providers.push(globalMetrics.getMeterProvider());

  return {
    /** Registers new providers in place of those that are registered. */
    replaceProviders() {
      const points = new Points();
      all.push(points);
      const meterProvider = new metrics.MeterProvider({ readers: points.readers() });
      providers.push(meterProvider);
      globalMetrics.disable();
      globalMetrics.setGlobalMeterProvider(meterProvider);
      trace.disable();
      trace.setGlobalTracerProvider(
        new tracing.BasicTracerProvider({ sampler, spanProcessors: [processor] }),
      );
    },
    async read() {
      for (const provider of providers) await provider.forceFlush();
    },
    /** As at the end of a process. */
    async shutdown() {
      for (const provider of providers) await provider.shutdown();
    },
    points: (temporality) => sumOf(all.map((points) => points[temporality])),
    /** How many operations each provider has measured. */
    operations: () => all.map(({ cumulative }) => operationsIn(cumulative)),
    spans: () => linesOf(ended),
  };
}

/** By the number of the call, or, of a call that Paperclip makes inside of it, that with a word. */
function linesOf(spans) {
  const ids = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const callOf = (spanId) => {
    const span = ids.get(spanId);
    if (span === undefined) return Number.parseInt(spanId, 16);
    const parent = span.parentSpanContext.spanId;
    return ids.has(parent) ? `inside ${callOf(parent)}` : callOf(parent);
  };
  const lines = new Map();
  for (const span of spans) {
    const { name, attributes, events, links } = span;
    const call = callOf(span.spanContext().spanId);
    const kind = attributes[ATTR_PAPERCLIP_RECOVERY_KIND];
    const row = {
      name,
      errorType: attributes[ATTR_ERROR_TYPE],
      recovery: kind && { kind },
      hasException: events.some((event) => event.name === EVENT_EXCEPTION),
    };
    const from = links.map(({ context: of }) => (ids.has(of.spanId) ? callOf(of.spanId) : 'unsampled'));
    const parent = span.parentSpanContext.spanId;
    const text = spanText(row, from.join(' and ') || undefined, ids.has(parent) ? callOf(parent) : undefined);
    lines.set(call, lines.has(call) ? `${lines.get(call)}; again ${text}` : text);
  }
  return lines;
}

function operationsIn(points) {
  const { name } = METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION;
  return [...points].reduce((sum, [key, count]) => (key.startsWith(`${name} `) ? sum + count : sum), 0);
}

function sumOf(maps) {
  const sum = new Map();
  for (const map of maps) for (const [key, value] of map) sum.set(key, (sum.get(key) ?? 0) + value);
  return sum;
}
