/** Both rates, from the points of counters: cumulative or delta, of several servers, and over restarts. */
import {
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  type DuplexOutcome,
  type FALLBACK_REASONS,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type ReacquireOutcome,
} from '../../semconv.js';
import { digestOf, keyOf, type Point } from './otlp.js';

/** How many series are followed. The one that was heard of least lately goes first, and counts on as it stands. */
const MAX_SERIES = 10_000;

const FALLBACK: DuplexOutcome = 'fallback';
const GATE_OFF: (typeof FALLBACK_REASONS)[number] = 'gate_off';
const SUCCEEDED: ReacquireOutcome = 'succeeded';
const NOT_ATTEMPTED: ReacquireOutcome = 'not_attempted';

/** So many of so many. */
export interface Rate {
  readonly part: number;
  readonly all: number;
}

/** What a cumulative series said last, and when, in nanoseconds since 1970. */
interface Said {
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
  readonly #series = new Map<string, Said>();

  /** Requests that fell back, of all but those whose gate is off. */
  get fallback(): Rate {
    return this.#fallback;
  }

  /** Re-acquires that succeeded, of all that were attempted. */
  get reacquire(): Rate {
    return this.#reacquire;
  }

  add(point: Point): void {
    const { metric, attributes } = point;
    if (metric === METRIC_PAPERCLIP_DUPLEX_REQUESTS.name) {
      if (attributes.get(ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON) === GATE_OFF) return;
      this.#count(point, this.#fallback, attributes.get(ATTR_PAPERCLIP_DUPLEX_OUTCOME) === FALLBACK);
    } else if (metric === METRIC_PAPERCLIP_LEASE_REACQUIRES.name) {
      const outcome = attributes.get(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME);
      if (outcome !== NOT_ATTEMPTED) this.#count(point, this.#reacquire, outcome === SUCCEEDED);
    }
  }

  #count(point: Point, rate: Total, isPart: boolean): void {
    if (point.isDelta) {
      rate.add(point.value, isPart);
      return;
    }
    // A counter that began again, in the same process or in the next, has another start: it is a series of its own.
    const { source, metric, attributes, startedAt } = point;
    const key = digestOf([source.resource, startedAt, metric, keyOf(attributes)].join(' '));
    const last = this.#series.get(key) ?? { at: 0n, value: 0 };
    // An export that was sent again can come late. With a larger value it is the clock that was set back.
    if (point.at < last.at && point.value <= last.value) return;
    const isSmaller = point.value < last.value;
    // Where no start is known, a smaller value tells that it began again. Otherwise it is late, too: the clock was set back since.
    const hasBegunAgain = isSmaller && startedAt === 0n;
    if (isSmaller && !hasBegunAgain) return;
    rate.add(hasBegunAgain ? point.value : point.value - last.value, isPart);
    this.#series.delete(key);
    this.#series.set(key, { at: point.at, value: point.value });
    if (this.#series.size > MAX_SERIES) this.#series.delete(this.#series.keys().next().value as string);
  }
}
