/**
 * What is recorded for panels. Counters and buckets of a fleet are many, and a panel would read hours of each of them at each refresh;
 * of what is recorded it reads one value for each step. Counts are kept apart by server, quantiles are not: their buckets are too many.
 */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO,
  METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type MetricDefinition,
} from '../../../src/semconv.js';
import type { Timing } from '../limits.js';
import { INSTANCE, JOB, LE, SERVICE_VERSION, TARGET_INFO } from '../names.js';
import { aggregate, duration, is, type Matcher, select, sum } from '../promql.js';
import { HAS_FAILED, IS_ACQUIRE, IS_TEARDOWN } from '../quantities.js';
import { eventsWithin } from './events.js';
import type { Recording } from './rule.js';

const SERVER = [JOB, INSTANCE];

/** What a counter counts, or a histogram: as much of it as panels ask for. */
export interface Recorded {
  /** In the name of the recording. */
  readonly name: string;
  readonly metric: MetricDefinition;
  readonly matchers?: readonly Matcher[];
  /** The labels that are kept. */
  readonly by: readonly string[];
}

const all = (name: string, metric: MetricDefinition): Recorded => ({
  name,
  metric,
  by: [...SERVER, ...metric.attributes],
});

const ofOperations = (
  name: string,
  matchers: readonly Matcher[],
  attributes: readonly string[],
): Recorded => ({
  name,
  metric: METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  matchers,
  by: [...SERVER, ...attributes],
});

/** Events that are counted. */
export const COUNTS = {
  operations: ofOperations('operations', [], [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]),
  failed: ofOperations(
    'failed_operations',
    [HAS_FAILED],
    [
      ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
      ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
      ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
      ATTR_PAPERCLIP_LEASE_SHAPE,
      ATTR_ERROR_TYPE,
    ],
  ),
  acquired: ofOperations(
    'acquired_leases',
    [IS_ACQUIRE, is(ATTR_ERROR_TYPE, '')],
    [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME],
  ),
  teardowns: ofOperations('teardowns', [IS_TEARDOWN], [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]),
  shapes: ofOperations('operations_by_shape', [], [ATTR_PAPERCLIP_LEASE_SHAPE]),
  requests: all('duplex_requests', METRIC_PAPERCLIP_DUPLEX_REQUESTS),
  reacquires: all('lease_reacquires', METRIC_PAPERCLIP_LEASE_REACQUIRES),
  losses: all('duplex_losses', METRIC_PAPERCLIP_DUPLEX_LOSSES),
  leaks: all('duplex_session_leaks', METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS),
  ended: all('ended_leases', METRIC_PAPERCLIP_LEASE_DURATION),
} as const;

/** Histograms that quantiles are made of. */
export const BUCKETS = {
  operations: {
    name: 'operation_duration',
    metric: METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
    by: [
      JOB,
      ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
      ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
      ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
    ],
  },
  reacquires: bucketsOf('lease_reacquire_duration', METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION),
  channels: bucketsOf('duplex_channel_duration', METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION),
  forwards: bucketsOf('duplex_forward_duration', METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION),
  leases: bucketsOf('lease_duration', METRIC_PAPERCLIP_LEASE_DURATION),
} as const;

function bucketsOf(name: string, metric: MetricDefinition): Recorded {
  return { name, metric, by: [JOB, ...metric.attributes] };
}

/** Seconds of all leases that ended. */
export const LEASE_SECONDS = all('ended_leases_seconds', METRIC_PAPERCLIP_LEASE_DURATION);
/** Bytes, per second. */
export const CHANNEL_IO = all('duplex_channel_io', METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO);

/** What is recorded of operations for longer times: all, and those that failed. */
export const SHARES = { operations: COUNTS.operations, failed: COUNTS.failed } as const;
const BY_SHARE = [...SERVER, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER];

/** The name of what {@link COUNTS} or a sum has within a step; of {@link SHARES} within a longer time, too. */
export function countName({ name }: Recorded, seconds: number): string {
  return `instance:paperclip_${name}:increase${duration(seconds)}`;
}

export function ioName({ panels }: Timing): string {
  return `instance:paperclip_${CHANNEL_IO.name}:rate${duration(panels.step)}`;
}

export function bucketName({ name }: Recorded, { panels }: Timing): string {
  return `job:paperclip_${name}_bucket:increase${duration(panels.quantiles)}`;
}

/** Of a server's version, all operations or those that failed. */
export function versionName({ name }: Recorded, { panels }: Timing): string {
  return `job_version:paperclip_${name}:increase${duration(panels.step)}`;
}

/** The windows of shares: the long ones of alerts. */
export function windowsOf({ shares }: Timing): readonly number[] {
  return [shares.busy.long, shares.usual.long, shares.quiet.long];
}

/**
 * Adds up what was recorded of one step after the other: of a window that ends now, each of them once. The offset leaves out the step
 * that ends where the window begins, which Prometheus before 3 takes in, too.
 *
 * @param window a duration, or a variable of Grafana's
 * @param step in seconds
 */
export function steps(recorded: string, window: string, step: number): string {
  return `sum_over_time(${recorded}[${window}:${duration(step)}] offset -1ms)`;
}

/** Gives counts that are kept apart by server the version that the server has, and adds them up. */
function byVersion(counts: string): string {
  const each = aggregate('max', TARGET_INFO, [...SERVER, SERVICE_VERSION]);
  // One version for each server, even while an old one is still remembered.
  const one = aggregate('topk', `1, ${each}`, SERVER);
  const ofServer = sum(counts, SERVER);
  return sum(`${ofServer} * on (${JOB}, ${INSTANCE}) group_left (${SERVICE_VERSION}) ${one}`, [
    JOB,
    SERVICE_VERSION,
  ]);
}

/** The recordings for panels, by the group that evaluates them. */
export function panelRecordings(timing: Timing): Record<string, Recording[]> {
  const { step, quantiles } = timing.panels;
  const window = duration(step);
  const { operations, failed } = SHARES;
  const [hour = 0, hours = 0, days = 0] = windowsOf(timing);
  const longer = (recorded: Recorded): Recording[] => [
    ...[hour, hours].map((seconds) => ({
      record: countName(recorded, seconds),
      expr: sum(steps(countName(recorded, step), duration(seconds), step), BY_SHARE),
    })),
    {
      record: countName(recorded, days),
      expr: sum(steps(countName(recorded, hour), duration(days), hour), BY_SHARE),
    },
  ];
  return {
    'panels-counts': [
      ...Object.values(COUNTS).map((recorded) => ({
        record: countName(recorded, step),
        expr: eventsWithin(recorded, step, timing),
      })),
      {
        record: countName(LEASE_SECONDS, step),
        expr: sum(`increase(${select(LEASE_SECONDS.metric, [], 'sum')}[${window}])`, LEASE_SECONDS.by),
      },
      { record: ioName(timing), expr: sum(`rate(${select(CHANNEL_IO.metric)}[${window}])`, CHANNEL_IO.by) },
    ],
    'panels-shares': [
      ...[operations, failed].flatMap(longer),
      ...[operations, failed].map((recorded) => ({
        record: versionName(recorded, timing),
        expr: byVersion(countName(recorded, step)),
      })),
    ],
    'panels-quantiles': Object.values(BUCKETS).map((recorded) => ({
      record: bucketName(recorded, timing),
      expr: sum(`increase(${select(recorded.metric, [], 'bucket')}[${duration(quantiles)}])`, [
        ...recorded.by,
        LE,
      ]),
    })),
  };
}
