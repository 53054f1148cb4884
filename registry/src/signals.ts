/** Which attributes each signal carries, and when. */
import * as semconv from '../../src/semconv.js';

/** `always`, `known` where its value is known, else the one condition under which it is there. */
export type Presence = 'always' | 'known' | { readonly where: string };

export interface AttributeUse {
  readonly name: string;
  readonly presence: Presence;
  /** Whether a span has it from its start, where samplers see it. */
  readonly atStart?: boolean;
}

const FAILED: Presence = { where: 'on failure' };
const CLASSIFIED: Presence = { where: 'where the error is classified' };
const ACQUIRED: Presence = { where: 'on a successful acquire that says so' };
const EXECUTED: Presence = { where: 'of `execute`, where the result has it' };
const DETAILED: Presence = { where: 'where the catalog fixes the message, or with `errorDetail: "full"`' };

/** Of the span of a lease operation. */
export const SPAN_ATTRIBUTES: readonly AttributeUse[] = [
  { name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, presence: 'always', atStart: true },
  {
    name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN,
    presence: { where: 'where the outcome is unknown' },
  },
  { name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_ID, presence: 'known', atStart: true },
  { name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER, presence: 'known', atStart: true },
  { name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, presence: 'known', atStart: true },
  { name: semconv.ATTR_PAPERCLIP_LEASE_ID, presence: 'known', atStart: true },
  { name: semconv.ATTR_PAPERCLIP_LEASE_PROVIDER_LEASE_ID, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_LEASE_STATUS, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_LEASE_POLICY, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_LEASE_SHAPE, presence: 'known', atStart: true },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
    presence: { where: 'with the shape `plugin_incomplete`' },
  },
  { name: semconv.ATTR_PAPERCLIP_LEASE_AGE, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_LEASE_TIME_TO_EXPIRY, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME, presence: ACQUIRED },
  {
    name: semconv.ATTR_PAPERCLIP_LEASE_CLEANUP_STATUS,
    presence: { where: 'of a teardown, where the lease that it returned has it' },
  },
  { name: semconv.ATTR_PAPERCLIP_LEASE_END, presence: { where: 'where the operation ended the lease' } },
  { name: semconv.ATTR_PAPERCLIP_COMPANY_ID, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_AGENT_ID, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_ISSUE_ID, presence: 'known' },
  { name: semconv.ATTR_PAPERCLIP_RUN_ID, presence: 'known' },
  { name: semconv.ATTR_PROCESS_EXIT_CODE, presence: EXECUTED },
  { name: semconv.ATTR_PAPERCLIP_EXECUTE_TIMED_OUT, presence: EXECUTED },
  { name: semconv.ATTR_ERROR_TYPE, presence: FAILED },
  { name: semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG, presence: CLASSIFIED },
  { name: semconv.ATTR_PAPERCLIP_ERROR_SLUG, presence: CLASSIFIED },
  {
    name: semconv.ATTR_PAPERCLIP_RECOVERY_KIND,
    presence: { where: 'where the operation recovers from an earlier failure' },
    atStart: true,
  },
];

/** Of the log record of an exception. */
export const LOG_ATTRIBUTES: readonly AttributeUse[] = [
  { name: semconv.ATTR_EXCEPTION_TYPE, presence: 'always' },
  { name: semconv.ATTR_EXCEPTION_MESSAGE, presence: DETAILED },
  { name: semconv.ATTR_EXCEPTION_STACKTRACE, presence: DETAILED },
  { name: semconv.ATTR_ERROR_TYPE, presence: 'always' },
  { name: semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, presence: 'always' },
];

/** In the order of the tables; `Object.values` of a module has an order of its own. */
export const METRICS: readonly semconv.MetricDefinition[] = [
  semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE,
  semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST,
  semconv.METRIC_PAPERCLIP_LEASE_DURATION,
  semconv.METRIC_PAPERCLIP_LEASE_HELD,
  semconv.METRIC_PAPERCLIP_LEASE_OLDEST,
  semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  semconv.METRIC_PAPERCLIP_LEASE_REACQUIRES,
  semconv.METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION,
  semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
  semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO,
  semconv.METRIC_PAPERCLIP_DUPLEX_LOSSES,
  semconv.METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS,
  semconv.METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION,
];

/** Of attributes that points do not always have; every other one is there always. */
const POINT_PRESENCE: Readonly<Record<string, Presence>> = {
  [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'known',
  [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'known',
  [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: 'known',
  [semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME]: ACQUIRED,
  [semconv.ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: { where: 'on a fallback' },
  [semconv.ATTR_ERROR_TYPE]: FAILED,
};

/** A fallback has the error of the refused open, where one was seen. */
const REQUEST_PRESENCE: typeof POINT_PRESENCE = {
  ...POINT_PRESENCE,
  [semconv.ATTR_ERROR_TYPE]: { where: 'where an error is known' },
};

/** Of the points of a metric. */
export function pointAttributes(metric: semconv.MetricDefinition): readonly AttributeUse[] {
  const presences = metric === semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS ? REQUEST_PRESENCE : POINT_PRESENCE;
  return metric.attributes.map((name) => ({ name, presence: presences[name] ?? 'always' }));
}
