/** OTLP's requests as JSON, as far as `tail` reads them, and fields of its protobuf. */
import { PACKAGE_NAME } from '../../../src/version.js';

export type Value = string | number | boolean | string[];
export type Attributes = Record<string, Value>;

/** Milliseconds since 1970: 12:00 of a day in local time. */
export const NOON = new Date(2026, 10, 30, 12).getTime();

export interface SpanOptions {
  id?: string;
  /** Ids of the spans that are linked to. */
  links?: string[];
  /** Milliseconds from noon. */
  start?: number;
  end?: number;
  status?: unknown;
  attributes?: Attributes;
}

/** Trace id of every span. */
const TRACE = '0'.repeat(31);

export function span({ id = '1', links = [], start = 0, end = 0, status, attributes = {} }: SpanOptions) {
  return {
    ...idsOf(id),
    name: 'a span',
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(end),
    attributes: pairs(attributes),
    links: links.map(idsOf),
    ...(status !== undefined && { status: { code: status } }),
  };
}

export interface SumOptions {
  name: string;
  value: number;
  attributes?: Attributes;
  /** Milliseconds from noon. */
  start?: number;
  at?: number;
  isDelta?: boolean;
}

export function sum({ name, value, attributes = {}, start = 0, at = 0, isDelta = false }: SumOptions) {
  const point = {
    attributes: pairs(attributes),
    startTimeUnixNano: nanos(start),
    timeUnixNano: nanos(at),
    asDouble: value,
  };
  return { name, sum: { aggregationTemporality: isDelta ? 1 : 2, isMonotonic: true, dataPoints: [point] } };
}

export interface Sent {
  resource?: Attributes;
  scope?: string;
}

export function traces(spans: object[], { resource = {}, scope = PACKAGE_NAME }: Sent = {}) {
  return {
    resourceSpans: [
      { resource: { attributes: pairs(resource) }, scopeSpans: [{ scope: { name: scope }, spans }] },
    ],
  };
}

export function metrics(sums: object[], { resource = {}, scope = PACKAGE_NAME }: Sent = {}) {
  return {
    resourceMetrics: [
      {
        resource: { attributes: pairs(resource) },
        scopeMetrics: [{ scope: { name: scope }, metrics: sums }],
      },
    ],
  };
}

function idsOf(id: string) {
  return { traceId: `${TRACE}1`, spanId: id.padStart(16, '0') };
}

function nanos(ms: number): string {
  return String(BigInt(NOON + ms) * 1_000_000n);
}

function pairs(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValueOf(value) }));
}

function anyValueOf(value: Value): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
  if (typeof value === 'boolean') return { boolValue: value };
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: value };
}

/** A field of protobuf with fewer than 2 ** 14 bytes: a text, bytes or a message. */
export function field(number: number, ...parts: (Uint8Array | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), body]);
}
