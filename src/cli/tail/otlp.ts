/** Finds the telemetry of this package in OTLP requests: lease operations, and the points of its sums. */
import { createHash } from 'node:crypto';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  ATTR_PROCESS_EXIT_CODE,
  VALUE_OTHER,
} from '../../semconv.js';
import { PACKAGE_NAME } from '../../version.js';
import {
  type AttributeValue,
  attributesOf,
  idOf,
  type Json,
  listOf,
  nanosOf,
  numberOf,
  objectOf,
  TooMuchError,
  textOf,
} from './values.js';

/** The most spans or metrics in a request. A collector's batch has 8192 spans. */
const MAX_ITEMS = 50_000;

/** The outcome of an operation that did not fail. */
export const OK = 'ok';
/** The outcome of an operation of which nobody can say whether it failed. */
export const UNKNOWN = 'unknown';

type Attributes = ReadonlyMap<string, AttributeValue>;

/** The server that sent an operation or point. */
export interface Source {
  /**
   * Identifies the server. It stays the same after a restart if the instance id does. The SDK of the 3.x line makes a new id
   * for each start. Without an id, the process identifies the server.
   */
  readonly server: string;
  /** Identifies the whole resource, which includes the process. */
  readonly resource: string;
}

/** A lease operation, from a span. Times are nanoseconds since 1970, or 0 if unknown. */
export interface Operation {
  readonly source: Source;
  /** Trace id and span id. */
  readonly id: string;
  readonly startedAt: bigint;
  readonly endedAt: bigint;
  readonly name: string;
  readonly driver: string | undefined;
  readonly provider: string | undefined;
  readonly shape: string | undefined;
  readonly missingFields: readonly string[];
  /** Undefined on success. */
  readonly errorType: string | undefined;
  /** The `errorType`, else {@link UNKNOWN} or {@link OK}. */
  readonly outcome: string;
  readonly backgroundTag: string | undefined;
  readonly exitCode: number | undefined;
  readonly recovery: { readonly kind: string; readonly from: readonly string[] } | undefined;
}

/** A point of a sum of this package. Times are nanoseconds since 1970, or 0 if unknown. */
export interface Point {
  readonly source: Source;
  readonly metric: string;
  readonly attributes: Attributes;
  readonly startedAt: bigint;
  readonly at: bigint;
  readonly value: number;
  readonly isDelta: boolean;
}

/** @returns the operations, and the number of other spans */
export function readTraces(request: object): { operations: Operation[]; others: number } {
  const operations: Operation[] = [];
  let others = 0;
  for (const { source, name, items } of scopesIn(request, 'Spans', 'spans')) {
    // OTLP requires both ids. What lacks one is no span, and no operation that succeeded.
    const spans = items.filter(({ traceId, spanId }) => idOf(traceId) !== '' && idOf(spanId) !== '');
    if (name !== PACKAGE_NAME) others += spans.length;
    else for (const span of spans) operations.push(operationOf(span, source));
  }
  return { operations, others };
}

/** @returns the points of all sums, and for each server the time of its latest metrics */
export function readMetrics(request: object): { points: Point[]; collectedAt: Map<string, bigint> } {
  const points: Point[] = [];
  const collectedAt = new Map<string, bigint>();
  for (const { source, name: scope, items } of scopesIn(request, 'Metrics', 'metrics')) {
    if (scope !== PACKAGE_NAME) continue;
    for (const { name, sum, histogram } of items) {
      const { aggregationTemporality, dataPoints } = objectOf(sum ?? histogram);
      for (const point of listOf(dataPoints)) {
        const at = nanosOf(point.timeUnixNano);
        if (at >= (collectedAt.get(source.server) ?? 0n)) collectedAt.set(source.server, at);
        const value = numberOf(point.asInt ?? point.asDouble);
        if (sum === undefined || value === undefined || value < 0) continue;
        const isDelta =
          aggregationTemporality === 1 || aggregationTemporality === 'AGGREGATION_TEMPORALITY_DELTA';
        const startedAt = nanosOf(point.startTimeUnixNano);
        const attributes = attributesOf(point.attributes);
        points.push({ source, metric: textOf(name) ?? '', attributes, startedAt, at, value, isDelta });
      }
    }
  }
  return { points, collectedAt };
}

function operationOf(span: Json, source: Source): Operation {
  const attributes = attributesOf(span.attributes);
  const text = (name: string) => textOf(attributes.get(name));
  const { code } = objectOf(span.status);
  const hasFailed = code === 2 || code === 'STATUS_CODE_ERROR';
  const errorType = text(ATTR_ERROR_TYPE) ?? (hasFailed ? VALUE_OTHER : undefined);
  const isUnknown = attributes.get(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN) === true;
  const kind = text(ATTR_PAPERCLIP_RECOVERY_KIND);
  return {
    source,
    id: spanIdOf(span),
    startedAt: nanosOf(span.startTimeUnixNano),
    endedAt: nanosOf(span.endTimeUnixNano),
    name: text(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME) ?? textOf(span.name) ?? VALUE_OTHER,
    driver: text(ATTR_PAPERCLIP_ENVIRONMENT_DRIVER),
    provider: text(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER),
    shape: text(ATTR_PAPERCLIP_LEASE_SHAPE),
    missingFields: text(ATTR_PAPERCLIP_LEASE_MISSING_FIELDS)?.split(',') ?? [],
    errorType,
    outcome: errorType ?? (isUnknown ? UNKNOWN : OK),
    backgroundTag: text(ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG),
    exitCode: numberOf(attributes.get(ATTR_PROCESS_EXIT_CODE)),
    recovery: kind === undefined ? undefined : { kind, from: listOf(span.links).map(spanIdOf) },
  };
}

/** @returns the id of a span, from itself or from a link to it */
function spanIdOf({ traceId, spanId }: Json): string {
  return `${idOf(traceId)}-${idOf(spanId)}`;
}

interface Scope {
  readonly source: Source;
  readonly name: unknown;
  readonly items: readonly Json[];
}

function scopesIn(request: object, signal: 'Spans' | 'Metrics', items: 'spans' | 'metrics'): Scope[] {
  let count = 0;
  const bounded = (list: readonly Json[]) => {
    count += list.length;
    if (count > MAX_ITEMS) throw new TooMuchError(`more than ${MAX_ITEMS} ${items}`);
    return list;
  };
  return bounded(listOf((request as Json)[`resource${signal}`])).flatMap((ofResource) => {
    const source = sourceOf(objectOf(ofResource.resource).attributes);
    return bounded(listOf(ofResource[`scope${signal}`])).map((ofScope) => ({
      source,
      name: objectOf(ofScope.scope).name,
      items: bounded(listOf(ofScope[items])),
    }));
  });
}

function sourceOf(pairs: unknown): Source {
  const attributes = attributesOf(pairs);
  const valuesOf = (names: readonly string[]) => JSON.stringify(names.map((name) => attributes.get(name)));
  const instance = attributes.has('service.instance.id')
    ? ['service.instance.id']
    : ['host.name', 'process.pid'];
  return {
    server: valuesOf(['service.namespace', 'service.name', ...instance]),
    resource: digestOf(attributesKey(attributes)),
  };
}

/** @returns the same text for the same attributes, in any order */
export function attributesKey(attributes: Attributes): string {
  return JSON.stringify([...attributes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Shortens a text that serves as a key. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
