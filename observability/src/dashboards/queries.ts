/** Expressions for panels: the shared quantities, limited to the servers and providers that a user chose. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_LEASE_DURATION,
  METRIC_PAPERCLIP_LEASE_HELD,
  type MetricDefinition,
} from '../../../src/semconv.js';
import { INSTANCE, LE, labelName } from '../names.js';
import {
  aggregate,
  type Count,
  countEvents,
  countWatchedEvents,
  type Matcher,
  matches,
  quantile,
  select,
  sum,
} from '../promql.js';

/** Names of the dashboards' variables. */
export const VARIABLES = {
  datasource: 'datasource',
  instance: 'instance',
  provider: 'provider',
  traces: 'traces',
  service: 'service',
} as const;

/** The whole time that the dashboard shows. */
export const RANGE = '$__range';
/** A window long enough for a rate at every point of a graph. */
export const STEP = '$__rate_interval';

export const ON_INSTANCE: Matcher = matches(INSTANCE, `$${VARIABLES.instance}`);
const OF_PROVIDER: Matcher = matches(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, `$${VARIABLES.provider}`);

/** What the variables choose of a metric; not every metric has a provider. */
function chosen({ attributes }: MetricDefinition): Matcher[] {
  return attributes.includes(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER)
    ? [ON_INSTANCE, OF_PROVIDER]
    : [ON_INSTANCE];
}

function limit(count: Count): Count {
  return { ...count, matchers: [...chosen(count.metric), ...(count.matchers ?? [])] };
}

/** Counts over the whole range, for single numbers and tables. */
export function overRange(count: Count): string {
  return countEvents(limit(count));
}

/** What there is at least one of, as whole numbers: Prometheus estimates counts, with fractions. */
export function whole(counts: string): string {
  return `round(${counts}) > 0`;
}

/** Counts within each step, for graphs. */
export function perStep(count: Count): string {
  return countWatchedEvents(limit(count));
}

/** A quantile within each step. */
export function quantilePerStep(
  q: number,
  metric: MetricDefinition,
  by: readonly string[] = [],
  matchers: readonly Matcher[] = [],
): string {
  return quantile(q, limit({ metric, window: STEP, by, matchers }));
}

/** How many values fell into each bucket within each step. */
export function bucketsPerStep(metric: MetricDefinition): string {
  return sum(`increase(${select(metric, chosen(metric), 'bucket')}[${STEP}])`, [LE]);
}

/** How much of a counter came per second. */
export function ratePerStep(metric: MetricDefinition, by: readonly string[]): string {
  return sum(`rate(${select(metric, chosen(metric))}[${STEP}])`, by);
}

/** What the variables choose of the leases that a database has. */
export const CHOSEN_LEASES = chosen(METRIC_PAPERCLIP_LEASE_HELD);

/** The highest value of a gauge. */
export function highest(
  metric: MetricDefinition,
  by: readonly string[] = [],
  matchers: readonly Matcher[] = [],
): string {
  return aggregate('max', select(metric, [...chosen(metric), ...matchers]), by);
}

/** Hours of all leases that ended within the last day, or longer. */
export function hoursOfEnded(by: readonly string[], window: string): string {
  const seconds = select(METRIC_PAPERCLIP_LEASE_DURATION, chosen(METRIC_PAPERCLIP_LEASE_DURATION), 'sum');
  return `${sum(`increase(${seconds}[${window}])`, by)} / 3600`;
}

/** The values of a gauge, added up. */
export function current(metric: MetricDefinition, by: readonly string[] = []): string {
  return sum(select(metric, chosen(metric)), by);
}

/** The values of some labels, as the name of a series. */
export function legend(by: readonly string[]): string {
  return by.map((attribute) => `{{${labelName(attribute)}}}`).join(' ');
}
