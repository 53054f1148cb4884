/**
 * A service as Prometheus sees it: what happens is told in minutes since the start, and becomes the series of the conventions as each
 * scrape finds them. A counter is there from its first event on, at 1, and begins anew when its server restarts.
 */
import {
  METRIC_PAPERCLIP_LEASE_HELD,
  METRIC_PAPERCLIP_LEASE_OLDEST,
  type MetricDefinition,
} from '../../src/semconv.js';
import { INSTANCE, JOB, labelName, namePattern, TARGET_INFO, UP } from '../src/names.js';
import type { Random } from './random.js';

export type Attributes = Readonly<Record<string, string>>;

/** Minutes: the beginning, and the end, which is no part of it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A server; it is there from the start to the end where nothing else is said. */
export interface Server extends Partial<Span> {
  readonly instance: string;
  /** When it begins anew, with all counters. */
  readonly restarts?: readonly number[];
  /** When scrapes fail. */
  readonly gaps?: readonly Span[];
  /** When it works and says nothing of itself: nothing instruments it. */
  readonly silent?: readonly Span[];
  /** Metrics come over OTLP: nothing tells whether it is up, and what is gone is not marked as such. */
  readonly overOtlp?: boolean;
}

interface Kept {
  readonly labels: Attributes;
  readonly name: string;
}
interface Counter extends Kept {
  /** When each was. */
  readonly events: number[];
}
interface Gauge extends Kept {
  readonly spans: Span[];
  /** Of the spans that began since the server's start and have not ended. */
  readonly value: (spans: readonly Span[], at: number) => number;
}

/** A series in promtool's notation. */
export interface Series {
  readonly series: string;
  readonly values: string;
}

const FOR_EVER = Number.POSITIVE_INFINITY;
const DATABASE: Server = { instance: 'database' };
const within = (at: number) => (span: Span) => at >= span.from && at < span.to;

export class World {
  readonly #servers: readonly Server[];
  readonly #random: Random;
  readonly #counters = new Map<Server, Map<string, Counter>>();
  readonly #gauges = new Map<Server, Map<string, Gauge>>();

  /** @param random says which server has what happens, where there are several */
  constructor(servers: readonly Server[], random: Random) {
    this.#servers = servers;
    this.#random = random;
  }

  /** A server that has what happens now; nothing where none is there that would tell of it. */
  server(at: number): Server | undefined {
    const present = this.#servers.filter(({ from = 0, to = FOR_EVER }) => at >= from && at < to);
    const server = present[Math.floor(this.#random() * present.length)];
    return server?.silent?.some(within(at)) ? undefined : server;
  }

  count(server: Server | undefined, at: number, metric: MetricDefinition, attributes: Attributes) {
    if (server === undefined) return;
    const { events } = keptFor(this.#counters, server, metric, attributes, () => ({
      events: [] as number[],
    }));
    events.push(at);
  }

  /** Something that is there for a while, as a gauge that counts it. */
  hold(server: Server | undefined, span: Span, metric: MetricDefinition, attributes: Attributes) {
    this.#span(server, span, metric, attributes, (spans) => spans.length);
  }

  /** Something that is there for a while, as a gauge with the age of the oldest, in seconds. */
  age(server: Server | undefined, span: Span, metric: MetricDefinition, attributes: Attributes) {
    this.#span(server, span, metric, attributes, ageOfOldest);
  }

  /**
   * A lease as Paperclip's table tells of it, from beside the server.
   *
   * @param acquired when, where that was before the time that is told of
   */
  lease(span: Span, attributes: Attributes, acquired = span.from) {
    this.hold(DATABASE, span, METRIC_PAPERCLIP_LEASE_HELD, attributes);
    this.#span(DATABASE, span, METRIC_PAPERCLIP_LEASE_OLDEST, attributes, (spans, at) =>
      spans.length === 0 ? 0 : (at - acquired) * 60,
    );
  }

  #span(
    server: Server | undefined,
    span: Span,
    metric: MetricDefinition,
    attributes: Attributes,
    value: Gauge['value'],
  ) {
    if (server === undefined) return;
    const { spans } = keptFor(this.#gauges, server, metric, attributes, () => ({
      spans: [] as Span[],
      value,
    }));
    spans.push(span);
  }

  /**
   * What Prometheus has of it.
   *
   * @param job label of all series
   * @param step minutes between two scrapes
   * @param length minutes
   */
  series(job: string, step: number, length: number): Series[] {
    const times = Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step);
    const write = (server: Server, name: string, labels: Attributes, valueAt: (at: number) => Value) => ({
      series: selector(name, { ...labels, [JOB]: job, [INSTANCE]: server.instance }),
      values: notation(times.map(valueAt), server.overOtlp ?? false),
    });
    const servers = [...this.#servers, ...(this.#gauges.has(DATABASE) ? [DATABASE] : [])];
    return servers.flatMap((server) => {
      const { from = 0, to = FOR_EVER, gaps = [], overOtlp = false } = server;
      const isThere = (at: number) => at >= from && at < to;
      const isSeen = (at: number) => isThere(at) && !gaps.some(within(at));
      return [
        ...(overOtlp ? [] : [write(server, UP, {}, (at) => (isThere(at) ? Number(isSeen(at)) : undefined))]),
        write(server, TARGET_INFO, {}, (at) => (isSeen(at) ? 1 : undefined)),
        ...[...(this.#counters.get(server)?.values() ?? [])].map((counter) => {
          const valueAt = counted(server, counter);
          return write(server, counter.name, counter.labels, (at) => (isSeen(at) ? valueAt(at) : undefined));
        }),
        ...[...(this.#gauges.get(server)?.values() ?? [])].map((gauge) => {
          const valueAt = gauged(server, gauge);
          return write(server, gauge.name, gauge.labels, (at) => (isSeen(at) ? valueAt(at) : undefined));
        }),
      ];
    });
  }
}

/** Nothing where the series is not there. */
type Value = number | undefined;

function keptFor<Rest>(
  all: Map<Server, Map<string, Kept & Rest>>,
  server: Server,
  metric: MetricDefinition,
  labels: Attributes,
  rest: () => Rest,
): Kept & Rest {
  const ofServer = all.get(server) ?? new Map<string, Kept & Rest>();
  all.set(server, ofServer);
  const key = metric.name + JSON.stringify(labels);
  const kept = ofServer.get(key) ?? { name: nameOf(metric), labels, ...rest() };
  ofServer.set(key, kept);
  return kept;
}

function ageOfOldest(spans: readonly Span[], at: number): number {
  return spans.length === 0 ? 0 : (at - Math.min(...spans.map(({ from }) => from))) * 60;
}

/** When the server began that is there at a time; the times that are asked for only grow. */
function lastStart({ from = 0, restarts = [], silent = [] }: Server) {
  const starts = [from, ...restarts, ...silent.flatMap((span) => [span.from, span.to])].sort((a, b) => a - b);
  let index = 0;
  return (at: number) => {
    while (index + 1 < starts.length && (starts[index + 1] ?? FOR_EVER) <= at) index++;
    return starts[index] ?? 0;
  };
}

function counted(server: Server, { events }: Counter): (at: number) => Value {
  const sorted = Float64Array.from(events).sort();
  const startOf = lastStart(server);
  let start = 0;
  let total = 0;
  let next = 0;
  return (at) => {
    if (startOf(at) !== start) {
      start = startOf(at);
      total = 0;
    }
    for (let event = sorted[next]; event !== undefined && event <= at; event = sorted[++next])
      if (event >= start) total++;
    return total === 0 ? undefined : total;
  };
}

function gauged(server: Server, { spans, value }: Gauge): (at: number) => Value {
  const sorted = spans.toSorted((a, b) => a.from - b.from);
  const startOf = lastStart(server);
  let current: Span[] = [];
  let next = 0;
  let seen = false;
  let start = 0;
  return (at) => {
    if (startOf(at) !== start) {
      start = startOf(at);
      seen = false;
    }
    for (let span = sorted[next]; span !== undefined && span.from <= at; span = sorted[++next])
      current.push(span);
    current = current.filter(({ from, to }) => from >= start && to > at);
    seen ||= current.length > 0;
    return seen ? value(current, at) : undefined;
  };
}

/** A metric's name where it comes over OTLP and gets its suffixes: the number of values of a histogram. */
function nameOf(metric: MetricDefinition): string {
  const part = metric.instrument === 'histogram' ? 'count' : undefined;
  return namePattern(metric, part).replaceAll(/[()?]/g, '');
}

function selector(name: string, labels: Attributes): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${labelName(label)}="${value}"`);
  return `${name}{${pairs.sort().join(', ')}}`;
}

/** Values in promtool's notation, those that repeat written once. A scrape without a series says that it is gone. */
function notation(values: readonly Value[], overOtlp: boolean): string {
  const parts: string[] = [];
  for (let index = 0; index < values.length; ) {
    const value = values[index];
    let end = index + 1;
    while (end < values.length && values[end] === value) end++;
    const count = end - index;
    if (value !== undefined) parts.push(count === 1 ? `${value}` : `${value}x${count - 1}`);
    else if (index === 0 || overOtlp) parts.push(`_x${count}`);
    else parts.push('stale', ...(count > 1 ? [`_x${count - 1}`] : []));
    index = end;
  }
  return parts.join(' ');
}
