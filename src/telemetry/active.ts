/** Counts running operations. */
import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { MetricDefinition } from '../semconv.js';

const FAULT = 'recording a metric failed';

/** One time series: its attributes, and how many operations are running. */
export interface Series {
  readonly attributes: Attributes;
  count: number;
}

/**
 * Counts in plain numbers, which the meter reads when it collects. A backend sees the same metric as from a synchronous
 * counter, but an operation costs no look-up in the SDK when it starts and ends.
 */
export class ActiveCount {
  readonly #series = new Map<string, Map<string | undefined, Series>>();

  constructor(meter: Meter, { name, unit, description }: MetricDefinition) {
    const counter = meter.createObservableUpDownCounter(name, { unit, description });
    counter.addCallback((result) => attempt(FAULT, () => this.#observe(result)));
  }

  /**
   * The series of two keys. Both are from closed sets, so that there are few.
   *
   * @param describe makes the attributes of a new series
   */
  of(first: string, second: string | undefined, describe: () => Attributes): Series {
    const known = this.#series.get(first)?.get(second);
    if (known !== undefined) return known;
    const ofFirst = this.#series.get(first) ?? new Map<string | undefined, Series>();
    const series = { attributes: describe(), count: 0 };
    this.#series.set(first, ofFirst.set(second, series));
    return series;
  }

  #observe(result: ObservableResult): void {
    for (const ofFirst of this.#series.values()) {
      for (const { attributes, count } of ofFirst.values()) result.observe(count, attributes);
    }
  }
}
