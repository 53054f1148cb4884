/** What the values of closed sets mean. A value without a meaning here says what it is, or is Paperclip's own. */
import * as semconv from '../../src/semconv.js';

export interface Value {
  readonly value: string;
  /** A sentence. */
  readonly meaning?: string;
}

/** The values of a set, each with its meaning where one is given. */
export function listed<Name extends string>(
  names: readonly Name[],
  meanings?: Readonly<Partial<Record<Name, string>>>,
): readonly Value[] {
  return names.map((value) => {
    const meaning = meanings?.[value];
    return meaning === undefined ? { value } : { value, meaning };
  });
}

export const SHAPE_MEANINGS: Readonly<Record<semconv.LeaseShape, string>> = {
  plugin_complete:
    '`metadata.sandboxProviderPlugin` is truthy, and `metadata.pluginId`, `metadata.provider` and `providerLeaseId` are non-empty strings.',
  plugin_incomplete: 'The flag is truthy and at least one of the three is missing.',
  non_plugin: 'There is a lease and the flag is not truthy.',
  absent: 'The operation takes no lease, or was given none.',
};

/** What the caller does about an error of each tag. */
export const TAG_MEANINGS = {
  [semconv.TAG_UNSUPPORTED_DRIVER_OPERATION]: 'The caller falls back to one-shot `execute`.',
  [semconv.TAG_MISSING_METADATA_FIELD]: 'The caller acquires a fresh lease and tries once more.',
} as const;

/** As Paperclip's server chooses them (`leaseReleaseStatusForRunStatus` in `services/heartbeat.js`). */
export const LEASE_END_MEANINGS: Readonly<Record<semconv.LeaseEnd, string>> = {
  released: 'The run ended well or was interrupted, or its sandbox is kept for the next run.',
  expired: 'The run was cancelled, or the lease ran out or was destroyed at its release.',
  failed: 'The run failed or ran out of time.',
  destroyed: '`destroy_run_lease` destroyed it, whatever status it returned.',
};

export const LEASE_RUN_MEANINGS: Readonly<Record<semconv.LeaseRun, string>> = {
  live: 'The run waits or runs.',
  ended: 'The run is over.',
  none: 'The lease is for no run, or its run was deleted.',
};

export const RECOVERY_MEANINGS: Readonly<Record<semconv.RecoveryKind, string>> = {
  fallback: 'An `execute` instead of a refused open.',
  reacquire: 'An acquire after a failure for missing metadata, or the retry on the fresh lease.',
};

export const REACQUIRE_MEANINGS: Readonly<Record<semconv.ReacquireOutcome, string>> = {
  succeeded: 'A fresh lease was acquired and the same operation then succeeded on it.',
  acquire_failed: 'The acquire threw.',
  still_incomplete: `The retried operation failed with \`${semconv.TAG_MISSING_METADATA_FIELD}\` again.`,
  operation_failed: 'The retried operation failed in another way.',
  not_retried:
    'A fresh lease was acquired, and the operation was not tried on it within the window, or the caller aborted that.',
  not_attempted: 'No acquire followed within the window, or the caller aborted it.',
};

export const DUPLEX_OUTCOME_MEANINGS: Readonly<Record<semconv.DuplexOutcome, string>> = {
  opened: 'The channel opened.',
  fallback: 'The caller did the work another way.',
  failed: 'The open was refused, and no fallback followed within the window.',
  cancelled: 'The run was stopped, or the caller aborted the attempt, before either.',
};

export const CHANNEL_END_MEANINGS: Readonly<Record<semconv.ChannelEnd, string>> = {
  exit: 'The process at the other end exited.',
  transport_closed: 'The transport was lost.',
  stopped: 'The caller stopped it.',
  closed: 'The caller closed it.',
};
