/** The recordings: both rates, what they are made of, and the past that spikes are compared with. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import type { Timing } from '../limits.js';
import { INSTANCE, JOB, SERVICE_VERSION, TARGET_INFO } from '../names.js';
import { aggregate, BY_DRIVER, duration, selectCount, share, sum } from '../promql.js';
import {
  attempts,
  failedAttempts,
  failures,
  fallbacks,
  losses,
  opened,
  requests,
  shareByDesign,
} from '../quantities.js';
import { ACQUIRES, PLUGIN_CALLS, TEARDOWNS } from './leases.js';
import type { Recording, Reference } from './rule.js';
import { type Share, shareRecordings } from './shares.js';

/** The same for metrics that have no driver. */
export const BY_PROVIDER = [JOB, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER];

const OPERATIONS = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION);

/** Failures of one kind, and 0 for each driver and provider that has operations. */
function failuresWithin(name: string, errorType: string, seconds: number): Recording {
  const window = duration(seconds);
  const counted = failures(errorType, { window, by: BY_DRIVER });
  return {
    record: `job_driver_provider:paperclip_${name}:increase${window}`,
    expr: `${counted} or 0 * ${sum(OPERATIONS, BY_DRIVER)}`,
  };
}

export function unsupportedOperations({ spike }: Timing): Recording {
  return failuresWithin('unsupported_operations', TAG_UNSUPPORTED_DRIVER_OPERATION, spike.window);
}

export function missingMetadata({ metadata }: Timing): Recording {
  return failuresWithin('missing_metadata', TAG_MISSING_METADATA_FIELD, metadata.window);
}

/** What a recording was on average in the past, leaving out the latest, which may be what is to be found out. */
export function baseline(
  recording: Recording,
  window: number,
  { spike }: Timing,
  refer: Reference,
): Recording {
  const [level, name] = recording.record.split(':');
  const past = duration(spike.past);
  return {
    record: `${level}:${name}:baseline${past}`,
    expr: overPast('avg_over_time', recording, { past, window, before: spike.before }, refer),
  };
}

/**
 * What has been recorded for long enough to say what is usual: before the latest and the window of the first one, which
 * was not yet full when monitoring began.
 */
export function hasPast(recording: Recording, window: number, { spike }: Timing, refer: Reference): string {
  const range = { past: duration(spike.past), window, before: spike.before + window };
  return overPast('last_over_time', recording, range, refer);
}

function overPast(
  operator: string,
  { record, expr }: Recording,
  { past, window, before }: { past: string; window: number; before: number },
  refer: Reference,
): string {
  const inner = refer({ record, expr });
  // Where nothing records it, it is evaluated again for the past: a subquery.
  const range = inner === record ? `[${past}]` : `[${past}:${duration(window)}]`;
  return `${operator}(${inner}${range} offset ${duration(before)})`;
}

function level(by: readonly string[]): string {
  return by === BY_PROVIDER ? 'job_provider' : 'job';
}

/** Requests that were meant to have a channel and were not cancelled. */
export function channelRequests({ fallback }: Timing, by: readonly string[] = BY_PROVIDER): Recording {
  const window = duration(fallback.window);
  return {
    record: `${level(by)}:paperclip_duplex_requests:increase${window}`,
    expr: requests({ window, by }),
  };
}

/** The fallback rate of the conventions, which alerts use. */
export function fallbackRate(
  timing: Timing,
  refer: Reference,
  by: readonly string[] = BY_PROVIDER,
): Recording {
  const window = duration(timing.fallback.window);
  return {
    record: `${level(by)}:paperclip_duplex_fallback_rate:ratio${window}`,
    expr: share(fallbacks({ window, by }), refer(channelRequests(timing, by))),
  };
}

/** The share of requests that fall back by design, which no alert uses. */
export function fallbacksByDesign({ fallback }: Timing, by: readonly string[] = BY_PROVIDER): Recording {
  const window = duration(fallback.window);
  return {
    record: `${level(by)}:paperclip_duplex_fallbacks_by_design:ratio${window}`,
    expr: shareByDesign({ window, by }),
  };
}

/** Re-acquires that somebody tried. */
export function reacquireAttempts(seconds: number): Recording {
  const window = duration(seconds);
  return {
    record: `job_provider:paperclip_lease_reacquire_attempts:increase${window}`,
    expr: attempts({ window, by: BY_PROVIDER }),
  };
}

/** The share of them that did not help: 1 minus the re-acquire success. */
export function reacquireFailureRate(seconds: number, refer: Reference): Recording {
  const window = duration(seconds);
  return {
    record: `job_provider:paperclip_lease_reacquire_failure_rate:ratio${window}`,
    expr: share(failedAttempts({ window, by: BY_PROVIDER }), refer(reacquireAttempts(seconds))),
  };
}

export function reacquireSuccess(seconds: number, refer: Reference): Recording {
  return {
    record: `job_provider:paperclip_lease_reacquire_success:ratio${duration(seconds)}`,
    expr: `1 - ${refer(reacquireFailureRate(seconds, refer))}`,
  };
}

export function channelLosses({ losses: { window } }: Timing): Recording {
  return {
    record: `job_provider:paperclip_duplex_losses:increase${duration(window)}`,
    expr: losses({ window: duration(window), by: BY_PROVIDER }),
  };
}

export function channelsOpened({ losses: { window } }: Timing): Recording {
  return {
    record: `job_provider:paperclip_duplex_channels_opened:increase${duration(window)}`,
    expr: opened({ window: duration(window), by: BY_PROVIDER }),
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

/** The group of those that are evaluated less often. */
export const SLOW_GROUP = 'days';

/**
 * Every recording by the group that evaluates it, those that others refer to first. Mimir takes no more than 20 in a
 * group unless told to (`ruler_max_rules_per_rule_group`).
 */
export function recordings(timing: Timing): Record<string, Recording[]> {
  const byName: Reference = ({ record }) => record;
  const { spike, metadata, reacquire, shares } = timing;
  const often = (share: Share) => [shares.busy, shares.usual].flatMap((pair) => shareRecordings(share, pair));
  const windows = new Set([...Object.values(reacquire.fast), ...Object.values(reacquire.slow)]);
  return {
    operations: [
      unsupportedOperations(timing),
      baseline(unsupportedOperations(timing), spike.window, timing, byName),
      missingMetadata(timing),
      baseline(missingMetadata(timing), metadata.window, timing, byName),
      deployment(timing),
    ],
    fallbacks: [BY_PROVIDER, [JOB]].flatMap((by) => [
      channelRequests(timing, by),
      fallbackRate(timing, byName, by),
      fallbacksByDesign(timing, by),
    ]),
    reacquires: [...windows].flatMap((window) => [
      reacquireAttempts(window),
      reacquireFailureRate(window, byName),
      reacquireSuccess(window, byName),
    ]),
    channels: [channelLosses(timing), channelsOpened(timing)],
    acquires: often(ACQUIRES),
    teardowns: often(TEARDOWNS),
    'plugin-calls': often(PLUGIN_CALLS),
    [SLOW_GROUP]: [ACQUIRES, TEARDOWNS, PLUGIN_CALLS].flatMap((share) =>
      shareRecordings(share, shares.quiet),
    ),
  };
}
