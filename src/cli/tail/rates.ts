/** The fallback rate and the re-acquire success, from cumulative or delta counters of several servers, across restarts. */
import {
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  type DuplexOutcome,
  FALLBACK_REASONS_BY_DESIGN,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type ReacquireOutcome,
  UNTRIED_REACQUIRE_OUTCOMES,
} from '../../semconv.js';
import { attributesKey, digestOf, type Point } from './otlp.js';

/** When there are more, the series without a point for the longest time is forgotten. What it counted stays in the rates. */
const MAX_SERIES = 10_000;

const FALLBACK: DuplexOutcome = 'fallback';
const CANCELLED: DuplexOutcome = 'cancelled';
const SUCCEEDED: ReacquireOutcome = 'succeeded';
const BY_DESIGN: ReadonlySet<unknown> = new Set(FALLBACK_REASONS_BY_DESIGN);
const UNTRIED: ReadonlySet<unknown> = new Set(UNTRIED_REACQUIRE_OUTCOMES);

/** `part` of `all`. */
export interface Rate {
  readonly part: number;
  readonly all: number;
}

/** The last point of a cumulative series. */
interface LastPoint {
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  readonly value: number;
}

class Total implements Rate {
  part = 0;
  all = 0;

  add(value: number, isPart: boolean): void {
    this.all += value;
    if (isPart) this.part += value;
  }
}

export class Rates {
  readonly #fallback = new Total();
  readonly #reacquire = new Total();
  readonly #series = new Map<string, LastPoint>();

  /** Duplex requests that fell back, of all that were meant to have a channel and were not cancelled. */
  get fallback(): Rate {
    return this.#fallback;
  }

  /** Re-acquires that succeeded, of all that were tried. */
  get reacquire(): Rate {
    return this.#reacquire;
  }

  add(point: Point): void {
    const { metric, attributes } = point;
    if (metric === METRIC_PAPERCLIP_DUPLEX_REQUESTS.name) {
      const outcome = attributes.get(ATTR_PAPERCLIP_DUPLEX_OUTCOME);
      const isByDesign = BY_DESIGN.has(attributes.get(ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON));
      if (!isByDesign && outcome !== CANCELLED) this.#count(point, this.#fallback, outcome === FALLBACK);
    } else if (metric === METRIC_PAPERCLIP_LEASE_REACQUIRES.name) {
      const outcome = attributes.get(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME);
      if (!UNTRIED.has(outcome)) this.#count(point, this.#reacquire, outcome === SUCCEEDED);
    }
  }

  #count(point: Point, rate: Total, isPart: boolean): void {
    if (point.isDelta) {
      rate.add(point.value, isPart);
      return;
    }
    // A counter that started again has another start time, and so it is another series.
    const { source, metric, attributes, startedAt } = point;
    const key = digestOf([source.resource, startedAt, metric, attributesKey(attributes)].join(' '));
    const last = this.#series.get(key) ?? { at: 0n, value: 0 };
    // An older point is a repeated export that came late. If its value is larger, it is new, and the clock was set back.
    if (point.at < last.at && point.value <= last.value) return;
    const isSmaller = point.value < last.value;
    // Without a start time, a smaller value means that the counter started again. With one, the point came late and the clock was
    // set back since.
    const hasRestarted = isSmaller && startedAt === 0n;
    if (isSmaller && !hasRestarted) return;
    rate.add(hasRestarted ? point.value : point.value - last.value, isPart);
    this.#series.delete(key);
    this.#series.set(key, { at: point.at, value: point.value });
    if (this.#series.size > MAX_SERIES) this.#series.delete(this.#series.keys().next().value as string);
  }
}
