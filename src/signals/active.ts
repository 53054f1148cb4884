/** Counts what is under way. */
import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import type { MetricDefinition } from '../semconv.js';
import { attempt, drop } from './faults.js';

const FAULT = 'recording a metric failed';

/** One time series: its attributes, and how many are under way. */
export interface Series {
  readonly attributes: Attributes;
  count: number;
}

/**
 * Counts in plain numbers and tells them to the meter when it collects. To a backend that is the same metric as that of
 * a synchronous counter, but nothing is looked up in the SDK when an operation starts and ends.
 */
export class ActiveCount {
  readonly #series = new Map<string, Map<string | undefined, Series>>();

  constructor(meter: Meter, { name, unit, description }: MetricDefinition) {
    const counter = meter.createObservableUpDownCounter(name, { unit, description });
    const tell = (result: ObservableResult) => {
      attempt(FAULT, () => this.#tell(result));
    };
    attempt(FAULT, () => drop(FAULT, counter.addCallback(tell)));
  }

  /**
   * The series of what has these two keys; both are from closed sets, so that there are few.
   *
   * @param describe makes the attributes of a series that is new
   */
  of(first: string, second: string | undefined, describe: () => Attributes): Series {
    const known = this.#series.get(first)?.get(second);
    if (known !== undefined) return known;
    const ofFirst = this.#series.get(first) ?? new Map<string | undefined, Series>();
    const series = { attributes: describe(), count: 0 };
    this.#series.set(first, ofFirst.set(second, series));
    return series;
  }

  #tell(result: ObservableResult): void {
    for (const ofFirst of this.#series.values()) {
      for (const { attributes, count } of ofFirst.values()) result.observe(count, attributes);
    }
  }
}
