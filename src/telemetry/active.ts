/** Counts the running operations and open channels of this process. */
import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { MetricDefinition } from '../semconv.js';
import type { Counts, Series } from '../shared.js';

const FAULT = 'recording a metric failed';

/**
 * The series of two keys. Both are from closed sets, so that there are few.
 *
 * @param describe makes the attributes of a new series
 */
export function seriesOf(
  counts: Counts,
  first: string | undefined,
  second: string | undefined,
  describe: () => Attributes,
): Series {
  const known = counts.get(first)?.get(second);
  if (known !== undefined) return known;
  const ofFirst = counts.get(first) ?? new Map<string | undefined, Series>();
  const series = { attributes: describe(), count: 0 };
  counts.set(first, ofFirst.set(second, series));
  return series;
}

/**
 * Lets a meter read the counts of the process when it collects, whoever counted. So instances that share a meter do not
 * overwrite each other, and a meter that comes late knows what began before. A backend sees the same metric as from a
 * synchronous counter, but an operation costs no look-up in the SDK when it starts and ends.
 */
export class ActiveCount {
  /** Series that this meter exports, also when their count is zero. */
  readonly #shown = new Set<Series>();

  constructor(
    meter: Meter,
    { name, unit, description }: MetricDefinition,
    private readonly counts: Counts,
  ) {
    const counter = meter.createObservableUpDownCounter(name, { unit, description });
    counter.addCallback((result) => attempt(FAULT, () => this.#observe(result)));
  }

  /** Exports a series from now on. Without this, one that is zero again at the next collection would not be seen. */
  show(series: Series): void {
    this.#shown.add(series);
  }

  #observe(result: ObservableResult): void {
    for (const ofFirst of this.counts.values()) {
      for (const series of ofFirst.values()) if (series.count > 0) this.#shown.add(series);
    }
    for (const { attributes, count } of this.#shown) result.observe(count, attributes);
  }
}
