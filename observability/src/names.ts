/**
 * What the names of `src/semconv.ts` become in Prometheus. One metric has several names there, by the way it took:
 * OpenTelemetry JS's own exporter for scraping appends `_total` to counters and no unit; what receives OTLP for
 * Prometheus (the Collector, Prometheus, VictoriaMetrics) appends the unit as well; Mimir appends neither unless
 * told to. A selector therefore matches all of them.
 */
import type { MetricDefinition } from '../../src/semconv.js';

/** Prometheus' words for units. Others, such as `{request}`, are no part of a name. */
const UNITS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/** The series that a histogram consists of. */
export type HistogramPart = 'bucket' | 'count' | 'sum';

/** Name of the service: the scrape's, or `service.name` where metrics come over OTLP. */
export const JOB = 'job';
/** The server: the scrape's target, or `service.instance.id` where metrics come over OTLP. */
export const INSTANCE = 'instance';
/** Upper bound of a histogram's bucket. */
export const LE = 'le';
/** Whether the last scrape of a target succeeded; there is none where metrics come over OTLP. */
export const UP = 'up';
/** One series for each server, with the attributes of its resource as labels. */
export const TARGET_INFO = 'target_info';
/** Label of {@link TARGET_INFO}: `service.version` of the resource. */
export const SERVICE_VERSION = 'service_version';
/** Label of every series: the instrumentation's version. */
export const SCOPE_VERSION = 'otel_scope_version';

/** The label that an attribute becomes. */
export function labelName(attribute: string): string {
  return attribute.replaceAll(/[^a-zA-Z0-9_]/g, '_');
}

/** The name of a metric that is no histogram, where it comes over OTLP and gets its suffixes. */
export function nameOverOtlp(metric: MetricDefinition): string {
  return namePattern(metric).replaceAll(/[()?]/g, '');
}

/** A pattern for all names of a metric, or of one part of a histogram. */
export function namePattern(metric: MetricDefinition, part?: HistogramPart): string {
  const unit = UNITS[metric.unit];
  const name = labelName(metric.name) + (unit === undefined ? '' : `(_${unit})?`);
  if (metric.instrument === 'counter') return `${name}(_total)?`;
  return part === undefined ? name : `${name}_${part}`;
}
