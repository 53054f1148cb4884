/**
 * Events, counted once: how many there were from one evaluation to the next, as whole numbers. Every window is a sum of these, so
 * that days and weeks cost little, and what is counted survives restarts, gaps and a server that is replaced.
 */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type MetricDefinition,
} from '../../../src/semconv.js';
import { REMEMBERED, type Timing } from '../limits.js';
import { INSTANCE, JOB, TARGET_INFO, UP } from '../names.js';
import { aggregate, BY_DRIVER, type Count, duration, type Matcher, selectCount, sum } from '../promql.js';
import type { Recording } from './rule.js';

const SERVER = [JOB, INSTANCE];
const OPERATIONS = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION);

interface Counted {
  readonly metric: MetricDefinition;
  /** What the name of the recording begins with: the labels of {@link by}. */
  readonly level: string;
  readonly name: string;
  readonly by: readonly string[];
}

const COUNTED: readonly Counted[] = [
  {
    metric: METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
    level: 'job_driver_provider_operation_error_type',
    name: 'environment_operations',
    by: [...BY_DRIVER, ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, ATTR_ERROR_TYPE],
  },
  {
    metric: METRIC_PAPERCLIP_DUPLEX_REQUESTS,
    level: 'job_provider_outcome_reason',
    name: 'duplex_requests',
    by: [
      JOB,
      ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
      ATTR_PAPERCLIP_DUPLEX_OUTCOME,
      ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
    ],
  },
  {
    metric: METRIC_PAPERCLIP_LEASE_REACQUIRES,
    level: 'job_provider_outcome',
    name: 'lease_reacquires',
    by: [JOB, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME],
  },
  {
    metric: METRIC_PAPERCLIP_DUPLEX_LOSSES,
    level: 'job_provider_reason',
    name: 'duplex_losses',
    by: [JOB, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ATTR_PAPERCLIP_DUPLEX_LOSS_REASON],
  },
  {
    metric: METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
    level: 'job_provider',
    name: 'duplex_channels_ended',
    by: [JOB, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
  },
];

/** Servers whose operations are seen. */
function servers({ lag }: Timing): Recording {
  return {
    record: 'job_instance:paperclip_servers:seen',
    expr: aggregate('group', `${OPERATIONS} offset ${duration(lag)}`, SERVER),
  };
}

/**
 * What a counter counted within a step. A series begins with its first event: an error that never happened before is not 0 and then 1,
 * it is absent and then 1. It counts from 0 where its server was seen and the series was not, as after a restart, and where the
 * server is new and the service is not. Where monitoring begins, nobody knows when a series did, and it counts nothing.
 *
 * @param step seconds between two evaluations
 */
export function eventsWithin(
  { metric, matchers = [], by = [] }: Omit<Count, 'window'>,
  step: number,
  timing: Timing,
): string {
  const { lag, gap } = timing;
  const before = `offset ${duration(lag + step)}`;
  const series = selectCount(metric, matchers);
  // Without names: after a change of naming there are two series for a while.
  const now = `max without () (${series} offset ${duration(lag)})`;
  const previous = `max without () (${series} ${before})`;
  const last = `max without () (last_over_time(${series}[${duration(Math.max(gap, step))}] ${before}))`;
  const server = `on (${SERVER.join(', ')})`;
  const wasSeen = `(${aggregate('group', `${OPERATIONS} ${before}`, SERVER)} or ${aggregate('group', `${TARGET_INFO} ${before}`, SERVER)} or ${UP} ${before} == 1)`;
  const known = past('last_over_time', servers(timing), REMEMBERED, step);
  return sum(
    [
      `${now} unless ${previous} and ${server} ${wasSeen}`,
      `${now} - ${last} >= 0`,
      `${now} < ${last}`,
      `${now} unless ${server} ${known} unless ${server} (${UP} ${before} == 0) and on (${JOB}) ${known}`,
    ].join(' or '),
    by,
  );
}

function events(counted: Counted, timing: Timing): Recording {
  const { metric, level, name, by } = counted;
  return {
    record: `${level}:paperclip_${name}:increase${duration(timing.interval)}`,
    expr: eventsWithin({ metric, by }, timing.interval, timing),
  };
}

/**
 * Counts the events of a window by what is recorded of them.
 *
 * @param seconds the window
 */
export function recordedEvents(seconds: number, timing: Timing) {
  return ({ metric, matchers = [], by = [] }: Omit<Count, 'window'>): string => {
    const counted = COUNTED.find((each) => each.metric === metric);
    if (!counted) throw new Error(`no recording counts ${metric.name}`);
    const { record } = events(counted, timing);
    return sum(`sum_over_time(${record}${braces(matchers)}[${duration(seconds)}])`, by);
  };
}

function braces(matchers: readonly Matcher[]): string {
  return matchers.length > 0 ? `{${matchers.join(', ')}}` : '';
}

/**
 * What a recording was in the past.
 *
 * @param operator such as `avg_over_time`
 * @param range seconds that are looked at
 * @param before seconds ago that they end
 */
export function past(operator: string, recording: Recording, range: number, before: number): string {
  return `${operator}(${recording.record}[${duration(range)}] offset ${duration(before)})`;
}

/** What everything else is made of, those that others refer to first. */
export function eventRecordings(timing: Timing): Recording[] {
  return [servers(timing), ...COUNTED.map((counted) => events(counted, timing))];
}
