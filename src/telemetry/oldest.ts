/** How long the oldest of the running operations has been under way. */
import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST as METRIC } from '../semconv.js';
import { type Running, shared } from '../shared.js';
import { pick } from './attributes.js';
import { Shown } from './shown.js';

/**
 * Puts an operation at the end of the list of those that run, of all instances and copies. The list costs an operation a few
 * assignments when it begins and when it ends, however many run. Only a collection goes through it.
 *
 * @param started milliseconds of `performance.now()`
 */
export function begin(started: number, dimensions: Attributes): Running {
  const { ends } = shared;
  const running: Running = { started, dimensions, before: ends.last, after: undefined };
  if (ends.last === undefined) ends.first = running;
  else ends.last.after = running;
  ends.last = running;
  return running;
}

/** Takes it out of the list. To be called once. */
export function finish({ before, after }: Running): void {
  const { ends } = shared;
  if (before === undefined) ends.first = after;
  else before.after = after;
  if (after === undefined) ends.last = before;
  else after.before = before;
}

/** Lets the meter read the ages when it collects. An age is zero where nothing runs any more. */
export function observeOldest(meter: Meter): void {
  const { name, unit, description } = METRIC;
  const shown = new Shown();
  meter
    .createObservableGauge(name, { unit, description })
    .addCallback((result) => attempt('recording a metric failed', () => observe(result, shown)));
}

function observe(result: ObservableResult, shown: Shown): void {
  const now = performance.now();
  const seen = new Map<string, Attributes>();
  for (let running = shared.ends.first; running !== undefined; running = running.after) {
    const { dimensions, started } = running;
    const key = METRIC.attributes.map((attribute) => dimensions[attribute]).join(' ');
    if (seen.has(key)) continue;
    const attributes = pick(dimensions, METRIC.attributes);
    seen.set(key, attributes);
    result.observe((now - started) / 1000, attributes);
  }
  for (const attributes of shown.gone(seen)) result.observe(0, attributes);
}
