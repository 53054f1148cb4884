/**
 * What the names of `semconv.ts` become in Prometheus. By default one metric has several names there, by the way it took:
 * OpenTelemetry JS's own exporter for scraping appends `_total` to counters and no unit; what receives OTLP for
 * Prometheus (the Collector, Prometheus, VictoriaMetrics) appends the unit as well; Mimir appends neither unless
 * told to. A selector therefore matches all of them. With the two strategies of Prometheus 3 that keep dots
 * (`otlp.translation_strategy`) it has one.
 */

import type { MetricDefinition } from '../../semconv.js';
import * as semconv from '../../semconv.js';

/** How a Prometheus names what comes over OTLP: with underscores, or as one of its strategies that keep dots. */
export const NAMINGS = ['underscores', 'NoUTF8EscapingWithSuffixes', 'NoTranslation'] as const;
export type Naming = (typeof NAMINGS)[number];

/** Prometheus' words for units. Others, such as `{request}`, are no part of a name. */
const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** The series that a classic histogram consists of. A native one is a single series without any of these endings. */
export type HistogramPart = 'bucket' | 'count' | 'sum';

/** Label of `target_info`: `service.version` of the resource. */
const SERVICE_VERSION = 'service.version';

/** Every metric of the conventions. */
export const METRICS: readonly MetricDefinition[] = Object.values<unknown>(semconv).filter(
  (value): value is MetricDefinition => typeof value === 'object' && value !== null && 'instrument' in value,
);

/** The attributes with dots that series have as labels, by the label with underscores. */
export const ATTRIBUTES_BY_LABEL: ReadonlyMap<string, string> = new Map(
  [SERVICE_VERSION, ...METRICS.flatMap(({ attributes }) => attributes)].map((attribute) => [
    labelName(attribute),
    attribute,
  ]),
);

/** The label that an attribute becomes, with underscores. */
export function labelName(attribute: string): string {
  return attribute.replaceAll(/[^a-zA-Z0-9_]/g, '_');
}

/** A pattern for all names of a metric, or of one part of a classic histogram, with underscores. */
export function namePattern(metric: MetricDefinition, part?: HistogramPart): string {
  const unit = UNITS[metric.unit];
  const name = labelName(metric.name) + (unit === undefined ? '' : `(_${unit})?`);
  if (metric.instrument === 'counter') return `${name}(_total)?`;
  return part === undefined ? name : `${name}_${part}`;
}

/** The name of a metric that is no histogram, with underscores, where it comes over OTLP and gets its suffixes. */
export function suffixedName(metric: MetricDefinition): string {
  return namePattern(metric).replaceAll(/[()?]/g, '');
}

/** The only name of a metric, or of one part of a classic histogram, in a naming with dots. */
export function dottedName(
  metric: MetricDefinition,
  naming: Exclude<Naming, 'underscores'>,
  part?: HistogramPart,
): string {
  const ending = part === undefined ? '' : `_${part}`;
  if (naming === 'NoTranslation') return metric.name + ending;
  const unit = UNITS[metric.unit];
  return `${metric.name}${unit === undefined ? '' : `_${unit}`}${metric.instrument === 'counter' ? '_total' : ending}`;
}
