/** PromQL from the names of the conventions: selectors, and the few shapes that panels and rules are made of. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  type MetricDefinition,
} from '../../src/semconv.js';
import { CONFIDENCE } from './limits.js';
import { type HistogramPart, JOB, labelName, namePattern } from './names.js';

/** What each alert about operations and leases is for: another driver or provider is another problem. */
export const BY_DRIVER: readonly string[] = [
  JOB,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
];

/** A condition on a label, as it stands between braces. */
export type Matcher = string;

export function is(attribute: string, value: string): Matcher {
  return `${labelName(attribute)}="${value}"`;
}

export function isNot(attribute: string, value: string): Matcher {
  return `${labelName(attribute)}!="${value}"`;
}

export function isOneOf(attribute: string, values: readonly string[]): Matcher {
  return matches(attribute, values.join('|'));
}

export function isNoneOf(attribute: string, values: readonly string[]): Matcher {
  return `${labelName(attribute)}!~"${values.join('|')}"`;
}

export function matches(attribute: string, pattern: string): Matcher {
  return `${labelName(attribute)}=~"${pattern}"`;
}

/** Selects the series of a metric under each of its names. */
export function select(
  metric: MetricDefinition,
  matchers: readonly Matcher[] = [],
  part?: HistogramPart,
): string {
  const pattern = namePattern(metric, part);
  const isName = !pattern.includes('(');
  const all = isName ? matchers : [`__name__=~"${pattern}"`, ...matchers];
  return `${isName ? pattern : ''}${all.length > 0 ? `{${all.join(', ')}}` : ''}`;
}

/**
 * What a database says of leases, as one value for each kind of lease: servers that share it say the same.
 *
 * @param offset how long ago, in Prometheus' notation
 */
export function selectLeases(
  metric: MetricDefinition,
  matchers: readonly Matcher[] = [],
  offset?: string,
): string {
  const series = select(metric, matchers);
  return aggregate('max', offset === undefined ? series : `${series} offset ${offset}`, [
    JOB,
    ...metric.attributes,
  ]);
}

/** Selects what a metric counts: a counter itself, the number of values of a histogram. */
export function selectCount(metric: MetricDefinition, matchers: readonly Matcher[] = []): string {
  return select(metric, matchers, metric.instrument === 'histogram' ? 'count' : undefined);
}

/** `sum by (…) (…)`, over everything where no label is to be kept. */
export function sum(expression: string, by: readonly string[] = []): string {
  return aggregate('sum', expression, by);
}

export function aggregate(operator: string, expression: string, by: readonly string[] = []): string {
  const labels = by.map(labelName).join(', ');
  return labels === '' ? `${operator}(${expression})` : `${operator} by (${labels}) (${expression})`;
}

/** What to count, and over which time. */
export interface Count {
  readonly metric: MetricDefinition;
  readonly matchers?: readonly Matcher[];
  /** A duration, or a variable of Grafana's that stands for one. */
  readonly window: string;
  readonly by?: readonly string[];
}

/** A share between 0 and 1, with 0 where there is a whole and no part, and nothing where there is no whole. */
export function share(part: string, whole: string): string {
  return `(${part} or 0 * ${whole}) / (${whole} > 0)`;
}

/**
 * The lower bound of Wilson's score interval: the least that a share may really be, which few events leave open. Nothing where
 * there are fewer events than `least`.
 *
 * @param part how many of the whole, with the labels of the whole or more
 * @param by the labels of the whole
 */
export function lowerBound(part: string, whole: string, by: readonly string[], least: number): string {
  const z = CONFIDENCE;
  const enough = `(${whole} >= ${least})`;
  const deviation = `${z} * sqrt(${part} - ${part} ^ 2 / ${joined(by)} ${enough} + ${z ** 2 / 4})`;
  return `(${part} + ${z ** 2 / 2} - ${deviation}) / ${joined(by)} (${enough} + ${z ** 2})`;
}

/** The larger of two values with the same labels; the one that there is, where there is no other. */
export function larger(one: string, other: string): string {
  return `(${one} > ${other} or ${other} or ${one})`;
}

/** How a binary operator finds the whole of a part that has more labels. */
export function joined(by: readonly string[]): string {
  return `on (${by.map(labelName).join(', ')}) group_left ()`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A duration in whole units, the largest that there is. */
function inUnits(seconds: number): { readonly count: number; readonly unit: (typeof UNITS)[number][0] } {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1];
  return { count: seconds / size, unit };
}

/** A duration in Prometheus' notation: `10m`, `1d`. */
export function duration(seconds: number): string {
  const { count, unit } = inUnits(seconds);
  return `${count}${unit[0]}`;
}

/** A duration in a text after "the last" or "the same": `10 minutes`, `day`. */
export function words(seconds: number): string {
  const { count, unit } = inUnits(seconds);
  return count === 1 ? unit : `${count} ${unit}s`;
}

/** A duration in a text after "in" or before "ago": `10 minutes`, `a day`. */
export function wordsWithArticle(seconds: number): string {
  const { count, unit } = inUnits(seconds);
  return count === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : words(seconds);
}
