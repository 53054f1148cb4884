/** What the names of `src/semconv.ts` become in Prometheus, and the names that Prometheus has itself. */
export {
  type HistogramPart,
  labelName,
  namePattern,
  suffixedName as nameOverOtlp,
} from '../../src/cli/naming/names.js';

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
