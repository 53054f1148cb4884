/** The recordings: both rates, what they are made of, and the past that spikes are compared with. */
import {
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { SILENCE_MIN_OPERATIONS, SPIKE_FACTOR, type Timing } from '../limits.js';
import { INSTANCE, JOB, SERVICE_VERSION, TARGET_INFO, UP } from '../names.js';
import { aggregate, BY_DRIVER, duration, larger, selectCount, share, sum } from '../promql.js';
import { failures, operations, shareByDesign } from '../quantities.js';
import { eventRecordings, past, recordedEvents } from './events.js';
import { ACQUIRES, BY_PROVIDER, FALLBACKS, LOSSES, PLUGIN_CALLS, REACQUIRES, TEARDOWNS } from './measures.js';
import { panelRecordings } from './panels.js';
import type { Recording } from './rule.js';
import { longWindows, type Share, shareRecordings } from './shares.js';

const OPERATIONS = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION);

/** Services all of whose targets are known to be down. */
export const IS_DOWN = `${aggregate('max', UP, [JOB])} == 0`;

/** Failures of one kind, and 0 for each driver and provider that has operations. */
function failuresWithin(name: string, errorType: string, seconds: number, timing: Timing): Recording {
  const scope = { window: duration(seconds), by: BY_DRIVER };
  const counted = failures(errorType, scope, recordedEvents(seconds, timing));
  return {
    record: `job_driver_provider:paperclip_${name}:increase${scope.window}`,
    expr: `${counted} or 0 * ${sum(OPERATIONS, BY_DRIVER)}`,
  };
}

export function unsupportedOperations(timing: Timing): Recording {
  const { window } = timing.spike;
  return failuresWithin('unsupported_operations', TAG_UNSUPPORTED_DRIVER_OPERATION, window, timing);
}

export function missingMetadata(timing: Timing): Recording {
  const { window } = timing.metadata;
  return failuresWithin('missing_metadata', TAG_MISSING_METADATA_FIELD, window, timing);
}

/**
 * What a recording usually is: its average in the past day, or the most that it was in the same hours a week ago. So neither what a
 * provider has always refused is more than usual, nor what it refuses on each working day.
 */
export function usual(recording: Recording, window: number, { usual }: Timing): Recording {
  const average = past('avg_over_time', recording, usual.past, usual.before);
  const { week, around } = usual;
  const aWeekAgo = past('max_over_time', recording, 2 * around, week - around);
  const [level, name] = recording.record.split(':');
  return { record: `${level}:${name}:usual${duration(window)}`, expr: larger(average, aWeekAgo) };
}

/** What has been recorded for long enough to say what is usual. */
export function hasPast(recording: Recording, window: number, { usual }: Timing): string {
  return past('last_over_time', recording, usual.past, usual.before + window);
}

/**
 * Counts of at least a floor, and of more than is usual. Where a service has a past, what it never had before is usually 0;
 * where monitoring has only begun, nobody knows what is usual, and there is nothing.
 */
export function moreThanUsual(count: Recording, floor: number, window: number, timing: Timing): string {
  const now = count.record;
  const before = usual(count, window, timing).record;
  const known = hasPast(count, window, timing);
  return `${now} >= ${floor} unless ${now} <= ${SPIKE_FACTOR} * ${before} and on (${JOB}) ${known}`;
}

/** All operations of a service. */
export function allOperations(seconds: number, timing: Timing): Recording {
  const scope = { window: duration(seconds), by: [JOB] };
  return {
    record: `job:paperclip_operations:increase${scope.window}`,
    expr: operations(scope, recordedEvents(seconds, timing)),
  };
}

/**
 * How many operations a service had a week ago that it should have had now, and did not: 0 while it works, and nothing where none are
 * expected. A service that is known to be down is not silent, it is down.
 */
export function missedOperations(timing: Timing): Recording {
  const { interval, usual, silence } = timing;
  const now = (seconds: number) => `${allOperations(seconds, timing).record} > 0`;
  // The operations of that time are not known.
  const wasDown = `min_over_time((${aggregate('max', UP, [JOB])})[${duration(silence.busy)}:${duration(interval)}]) == 0`;
  const expected = (seconds: number) => {
    const operations = allOperations(seconds, timing);
    const aWeekAgo = past('last_over_time', operations, 5 * interval, usual.week);
    return `${aWeekAgo} >= ${SILENCE_MIN_OPERATIONS} unless ${now(seconds)} unless ${wasDown}`;
  };
  return {
    record: 'job:paperclip_operations:missed',
    expr: `0 * (${now(silence.busy)}) or (${expected(silence.busy)}) or (${expected(silence.quiet)})`,
  };
}

/** The share of requests that fall back by design, which no alert uses. */
function fallbacksByDesign(level: string, by: readonly string[], timing: Timing): Recording {
  const { long } = timing.shares.busy;
  const window = duration(long);
  return {
    record: `${level}:paperclip_duplex_fallbacks_by_design:ratio${window}`,
    expr: shareByDesign({ window, by }, recordedEvents(long, timing)),
  };
}

/** The share of failures of all providers together, from what is recorded of each. */
function ofAllProviders({ names }: Share, window: string): Recording {
  const all = (name: string) => sum(`job_provider:paperclip_${name}:increase${window}`, [JOB]);
  return {
    record: `job:paperclip_${names.share}:ratio${window}`,
    expr: share(all(names.failures), all(names.attempts)),
  };
}

function reacquireSuccess(level: string, window: string): Recording {
  return {
    record: `${level}:paperclip_lease_reacquire_success:ratio${window}`,
    expr: `1 - ${level}:paperclip_${REACQUIRES.names.share}:ratio${window}`,
  };
}

/** Services that were deployed or restarted: another server, another version, or counters that began anew. */
export function deployment({ metadata }: Timing): Recording {
  const window = duration(metadata.deployment);
  const servers = aggregate('group', OPERATIONS, [JOB, INSTANCE]);
  const serversBefore = aggregate('group', `${OPERATIONS} offset ${window}`, [JOB, INSTANCE]);
  const versions = aggregate('group', TARGET_INFO, [JOB, SERVICE_VERSION]);
  const versionsBefore = aggregate('group', `${TARGET_INFO} offset ${window}`, [JOB, SERVICE_VERSION]);
  const restarts = aggregate('group', `resets(${OPERATIONS}[${window}]) > 0`, [JOB, INSTANCE]);
  return {
    record: `job:paperclip_deployment:within${window}`,
    expr: aggregate(
      'group',
      `(${servers} unless ${serversBefore}) or (${versions} unless ${versionsBefore} and on (${JOB}) ${OPERATIONS}) or ${restarts}`,
      [JOB],
    ),
  };
}

/**
 * Every recording by the group that evaluates it, those that others refer to first. Mimir takes no more than 20 in a
 * group unless told to (`ruler_max_rules_per_rule_group`).
 */
export function recordings(timing: Timing): Record<string, Recording[]> {
  const { spike, metadata, silence } = timing;
  const long = longWindows(timing).map(duration);
  const unsupported = unsupportedOperations(timing);
  const missing = missingMetadata(timing);
  return {
    events: eventRecordings(timing),
    operations: [
      unsupported,
      usual(unsupported, spike.window, timing),
      missing,
      usual(missing, metadata.window, timing),
      deployment(timing),
      allOperations(silence.busy, timing),
      allOperations(silence.quiet, timing),
      missedOperations(timing),
    ],
    fallbacks: shareRecordings(FALLBACKS, timing),
    reacquires: shareRecordings(REACQUIRES, timing),
    losses: shareRecordings(LOSSES, timing),
    acquires: shareRecordings(ACQUIRES, timing),
    teardowns: shareRecordings(TEARDOWNS, timing),
    'plugin-calls': shareRecordings(PLUGIN_CALLS, timing),
    rates: [
      ...long.flatMap((window) => [
        ofAllProviders(FALLBACKS, window),
        ofAllProviders(REACQUIRES, window),
        reacquireSuccess('job_provider', window),
        reacquireSuccess('job', window),
      ]),
      fallbacksByDesign('job_provider', BY_PROVIDER, timing),
      fallbacksByDesign('job', [JOB], timing),
    ],
    ...panelRecordings(timing),
  };
}
