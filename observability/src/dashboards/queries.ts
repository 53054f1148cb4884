/** Expressions for panels: what rules have recorded, limited to the services, servers and providers that a user chose. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_LEASE_HELD,
  type MetricDefinition,
} from '../../../src/semconv.js';
import { SHARE_MIN_EVENTS, TIMING } from '../limits.js';
import { INSTANCE, JOB, LE, labelName } from '../names.js';
import { aggregate, type Count, duration, type Matcher, matches, select, share, sum } from '../promql.js';
import {
  bucketName,
  COUNTS,
  countName,
  type Recorded,
  steps,
  versionName,
  windowsOf,
} from '../rules/panels.js';

/** Names of the dashboards' variables. */
export const VARIABLES = {
  datasource: 'datasource',
  job: 'job',
  instance: 'instance',
  provider: 'provider',
  traces: 'traces',
  service: 'service',
} as const;

/** The whole time that the dashboard shows. */
export const RANGE = '$__range';
/** The time from one point of a graph to the next. */
export const STEP = '$__interval';
const SECONDS = TIMING.panels.step;

export const ON_JOB: Matcher = matches(JOB, `$${VARIABLES.job}`);
export const ON_INSTANCE: Matcher = matches(INSTANCE, `$${VARIABLES.instance}`);
const OF_PROVIDER: Matcher = matches(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, `$${VARIABLES.provider}`);

/** What the variables choose of series with these labels; not every one has a server or a provider. */
export function chosenOf(labels: readonly string[]): Matcher[] {
  return [
    ON_JOB,
    ...(labels.includes(INSTANCE) ? [ON_INSTANCE] : []),
    ...(labels.includes(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER) ? [OF_PROVIDER] : []),
  ];
}

const chosen = ({ attributes }: MetricDefinition) => chosenOf([INSTANCE, ...attributes]);

const withMatchers = (record: string, labels: readonly string[], matchers: readonly Matcher[] = []) =>
  `${record}{${[...chosenOf(labels), ...matchers].join(', ')}}`;

export interface Scope {
  /** {@link RANGE}, {@link STEP} or a duration. */
  readonly window: string;
  readonly by?: readonly string[];
  readonly matchers?: readonly Matcher[];
}

/** How many of what is recorded there were within a window. */
export function count(recorded: Recorded, { window, by = [], matchers }: Scope): string {
  return sum(steps(withMatchers(countName(recorded, SECONDS), recorded.by, matchers), window, SECONDS), by);
}

/** The same for quantities of metrics that have one recording each: all but those about operations. */
export function counted({ metric, ...scope }: Count): string {
  const recorded = Object.values<Recorded>(COUNTS).find((each) => each.metric === metric);
  if (!recorded) throw new Error(`nothing records ${metric.name}`);
  return count(recorded, scope);
}

/** How many of all operations, or of those that failed, there were within a step, by version of the server. */
export function countOfVersions(recorded: Recorded, window: string, by: readonly string[]): string {
  return sum(steps(withMatchers(versionName(recorded, TIMING), [JOB]), window, SECONDS), by);
}

/** What there is at least one of, as whole numbers: Prometheus estimates counts, with fractions. */
export function whole(counts: string): string {
  return `round(${counts}) > 0`;
}

/** What was recorded of the parts and of the whole of a share, by window. */
export interface RecordedShare {
  readonly part: (seconds: number) => string;
  readonly whole: (seconds: number) => string;
  /** The labels of the recordings. */
  readonly labels: readonly string[];
}

/** The end of the time shown, which counts as now. */
const AT_END = ' @ end()';

/** A share within one of the windows of alerts. @param least how many there must be in the whole */
export function shareWithin(
  { part, whole, labels }: RecordedShare,
  seconds: number,
  { by = [], least = 1, at = '' }: { by?: readonly string[]; least?: number; at?: string } = {},
): string {
  const total = sum(`${withMatchers(whole(seconds), labels)}${at}`, by);
  return share(sum(`${withMatchers(part(seconds), labels)}${at}`, by), `(${total} >= ${least})`);
}

/**
 * A share within the shortest of the alerts' windows in which enough happened to say anything: an hour where there is traffic, days where
 * there is hardly any.
 */
export function steadyShare(recorded: RecordedShare, by: readonly string[] = [], at = ''): string {
  const windows = windowsOf(TIMING);
  return windows
    .map((seconds, index) => {
      const least = index === windows.length - 1 ? 1 : SHARE_MIN_EVENTS;
      return `(${shareWithin(recorded, seconds, { by, least, at })})`;
    })
    .join(' or ');
}

/** A share over time, where there still is one at the end. */
export function shareNow(recorded: RecordedShare): string {
  return `(${steadyShare(recorded)}) and (${steadyShare(recorded, [], AT_END)})`;
}

/** The share over time of the provider that is worst off at the end. */
export function worstNow(recorded: RecordedShare, operator: 'topk' | 'bottomk'): string {
  const by = [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER];
  const provider = labelName(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER);
  const worst = `(${steadyShare(recorded, by)}) and on (${provider}) ${operator}(1, ${steadyShare(recorded, by, AT_END)})`;
  return `label_replace(${worst}, "${provider}", "no provider", "${provider}", "")`;
}

/** A quantile over the last time that is recorded of it. */
export function recentQuantile(
  q: number,
  recorded: Recorded,
  by: readonly string[] = [],
  matchers: readonly Matcher[] = [],
): string {
  const buckets = withMatchers(bucketName(recorded, TIMING), recorded.by, matchers);
  return `histogram_quantile(${q}, ${sum(buckets, [...by, LE])})`;
}

/** How many values fell into each bucket within each step. */
export function bucketsPerStep(recorded: Recorded): string {
  const buckets = withMatchers(bucketName(recorded, TIMING), recorded.by);
  return sum(steps(buckets, STEP, TIMING.panels.quantiles), [LE]);
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

/** The values of a gauge, added up: what they were on average in each step, since a value at one moment says little. */
export function onAverage(metric: MetricDefinition, by: readonly string[] = []): string {
  return sum(`avg_over_time(${select(metric, chosen(metric))}[${STEP}])`, by);
}

/** What is recorded, added up, as it is. */
export function recordedSum(record: string, labels: readonly string[], by: readonly string[]): string {
  return sum(withMatchers(record, labels), by);
}

/** The recordings of servers that have lease operations. */
export function servers(): string {
  return withMatchers(countName(COUNTS.operations, SECONDS), COUNTS.operations.by);
}

/** The time of quantiles, in a panel's description. */
export const QUANTILES = duration(TIMING.panels.quantiles);

/** The values of some labels, as the name of a series. */
export function legend(by: readonly string[]): string {
  return by.map((attribute) => `{{${labelName(attribute)}}}`).join(' ');
}
