/** OpenTelemetry's SDK, which keeps of each point its value, and of each span what the ledger knows of it. */
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricReader,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import * as semconv from '../../src/semconv.js';
import type { OperationRequest } from '../../src/types.js';
import { addTo, spanText } from './ledger.js';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const OLDEST = semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST.name;
/** Attribute of a span: the number of its call. */
const CALL = 'load.call';

export function numberCall(
  span: { setAttribute(key: string, value: number): unknown },
  { args }: OperationRequest,
) {
  const input = args.find((arg) => typeof arg === 'object') as { readonly call: number };
  span.setAttribute(CALL, input.call);
}

/** A meter provider that is read with either temporality. */
export class Meters {
  readonly #cumulative = readerOf(AggregationTemporality.CUMULATIVE);
  readonly #delta = readerOf(AggregationTemporality.DELTA);
  readonly provider = new MeterProvider({ readers: [this.#cumulative, this.#delta] });
  cumulative = new Map<string, number>();
  /** The sum of all that was read so far. */
  readonly delta = new Map<string, number>();

  async collect(): Promise<void> {
    this.cumulative = new Map();
    await addPoints(this.cumulative, this.#cumulative);
    await addPoints(this.delta, this.#delta);
  }
}

function readerOf(temporality: AggregationTemporality): MetricReader {
  const exporter = new InMemoryMetricExporter(temporality);
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
}

async function addPoints(points: Map<string, number>, reader: MetricReader): Promise<void> {
  const { resourceMetrics, errors } = await reader.collect();
  if (errors.length > 0) throw errors[0];
  for (const { descriptor, dataPoints } of resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)) {
    // An age is no count.
    if (descriptor.name === OLDEST) continue;
    for (const { attributes, value } of dataPoints)
      addTo(
        points,
        descriptor.name,
        attributes,
        typeof value === 'number' ? value : (value as Histogram).count,
      );
  }
}

/** Spans, of whichever provider. */
export class Spans {
  /** By the number of the call, as one line. */
  readonly exported = new Map<number, string>();
  /** How many were exported, also if two are of one call. */
  count = 0;
  /** How many were to be exported. */
  sampled = 0;
  readonly #calls = new Map<string, number>();
  #ended: [number, ReadableSpan][] = [];
  readonly #sampler: Sampler;

  constructor(sampler: Sampler = new AlwaysOnSampler()) {
    this.#sampler = sampler;
  }

  /** @param onStart told of each span that is started, sampled or not */
  newProvider(onStart: () => void): TracerProvider {
    const sampler: Sampler = {
      shouldSample: (...args) => {
        const result = this.#sampler.shouldSample(...args);
        onStart();
        if (result.decision === SamplingDecision.RECORD_AND_SAMPLED) this.sampled += 1;
        return result;
      },
      toString: () => this.#sampler.toString(),
    };
    const flushed = { forceFlush: async () => {}, shutdown: async () => {} };
    const processor = { onStart() {}, onEnd: (span: ReadableSpan) => this.#keep(span), ...flushed };
    return new TracerProvider({ sampler, spanProcessors: [processor] });
  }

  /** What its parent and its links are can be told when all have ended. */
  #keep(span: ReadableSpan): void {
    this.count += 1;
    const call = span.attributes[CALL] as number;
    this.#calls.set(span.spanContext().spanId, call);
    this.#ended.push([call, span]);
  }

  /** Makes lines of the spans that have ended. To be called when no call is under way. */
  read(): void {
    const numberOf = (spanId: string | undefined) =>
      spanId === undefined ? undefined : (this.#calls.get(spanId) ?? 'unsampled');
    for (const [call, { name, attributes, events, links, parentSpanContext }] of this.#ended) {
      const kind = attributes[semconv.ATTR_PAPERCLIP_RECOVERY_KIND] as string | undefined;
      const row = {
        name,
        errorType: attributes[semconv.ATTR_ERROR_TYPE] as string | undefined,
        recovery: kind === undefined ? undefined : { kind, from: undefined },
        hasException: events.some((event) => event.name === semconv.EVENT_EXCEPTION),
      };
      const from = links.map((link) => numberOf(link.context.spanId)).join(' and ') || undefined;
      const text = spanText(row, from, numberOf(parentSpanContext?.spanId));
      this.exported.set(call, this.exported.has(call) ? `${this.exported.get(call)}; again ${text}` : text);
    }
    this.#ended = [];
  }
}
