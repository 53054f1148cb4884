/** Reads OTLP's JSON into flat spans, metric points and log records, each with its scope and resource. */

export type Attributes = Record<string, unknown>;

interface Sent {
  scope: string;
  resource: Attributes;
}

export interface Span extends Sent {
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentSpanId: string;
  name: string;
  /** 0 unset, 1 ok, 2 error. */
  status: number;
  attributes: Attributes;
  events: { name: string; attributes: Attributes }[];
}

/** One point of a metric. */
export interface Metric extends Sent {
  name: string;
  attributes: Attributes;
  /** Of a histogram how many values were recorded, else the value. */
  value: number;
}

export interface Log extends Sent {
  eventName: string;
  body: unknown;
  attributes: Attributes;
}

interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number | string;
  doubleValue?: number;
  arrayValue?: { values?: AnyValue[] };
}

type Pairs = { key: string; value: AnyValue }[];

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  status?: { code?: number };
  attributes?: Pairs;
  events?: { name: string; attributes?: Pairs }[];
}

interface SentMetric {
  name: string;
  histogram?: Points;
  sum?: Points;
  gauge?: Points;
}

interface Points {
  dataPoints: { attributes?: Pairs; count?: number; asInt?: number; asDouble?: number }[];
}

interface SentLog {
  eventName?: string;
  body?: AnyValue;
  attributes?: Pairs;
}

export function readSpans(body: object): Span[] {
  return flatten<SentSpan>(body, 'Spans', 'spans').map(({ sent, item }) => ({
    ...sent,
    traceId: item.traceId,
    spanId: item.spanId,
    parentSpanId: item.parentSpanId ?? '',
    name: item.name,
    status: item.status?.code ?? 0,
    attributes: toAttributes(item.attributes),
    events: (item.events ?? []).map(({ name, attributes }) => ({
      name,
      attributes: toAttributes(attributes),
    })),
  }));
}

export function readMetrics(body: object): Metric[] {
  return flatten<SentMetric>(body, 'Metrics', 'metrics').flatMap(({ sent, item }) => {
    const { dataPoints = [] } = item.histogram ?? item.sum ?? item.gauge ?? {};
    return dataPoints.map(({ attributes, count, asInt, asDouble }) => ({
      ...sent,
      name: item.name,
      attributes: toAttributes(attributes),
      value: Number(count ?? asInt ?? asDouble),
    }));
  });
}

export function readLogs(body: object): Log[] {
  return flatten<SentLog>(body, 'Logs', 'logRecords').map(({ sent, item }) => ({
    ...sent,
    eventName: item.eventName ?? '',
    body: item.body && toValue(item.body),
    attributes: toAttributes(item.attributes),
  }));
}

function flatten<T>(body: object, signal: string, items: string): { sent: Sent; item: T }[] {
  return listIn<object>(body, `resource${signal}`).flatMap((ofResource) =>
    listIn<object>(ofResource, `scope${signal}`).flatMap((ofScope) => {
      const { resource } = ofResource as { resource?: { attributes?: Pairs } };
      const { scope } = ofScope as { scope?: { name?: string } };
      const sent = { scope: scope?.name ?? '', resource: toAttributes(resource?.attributes) };
      return listIn<T>(ofScope, items).map((item) => ({ sent, item }));
    }),
  );
}

function listIn<T>(object: object, name: string): T[] {
  return (object as Record<string, T[] | undefined>)[name] ?? [];
}

function toAttributes(pairs: Pairs = []): Attributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, toValue(value)]));
}

function toValue(value: AnyValue): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(toValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
