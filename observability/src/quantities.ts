/** The quantities that rules and panels share, so that an alert and the panel that explains it count alike. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  type DuplexOutcome,
  FALLBACK_REASONS_BY_DESIGN,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type OperationName,
  type ReacquireOutcome,
  UNTRIED_REACQUIRE_OUTCOMES,
} from '../../src/semconv.js';
import {
  type Count,
  countEvents,
  countWatchedEvents,
  is,
  isNoneOf,
  isNot,
  isOneOf,
  larger,
  type Matcher,
  select,
  share,
  sum,
} from './promql.js';

type Scope = Omit<Count, 'metric'>;
/** {@link countEvents} or {@link countWatchedEvents}. */
type Counting = (count: Count) => string;

const FALLBACK = 'fallback' satisfies DuplexOutcome;
const OPENED = 'opened' satisfies DuplexOutcome;
const CANCELLED = 'cancelled' satisfies DuplexOutcome;
const SUCCEEDED = 'succeeded' satisfies ReacquireOutcome;

const NOT_CANCELLED = isNot(ATTR_PAPERCLIP_DUPLEX_OUTCOME, CANCELLED);
const BY_DESIGN = isOneOf(ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON, FALLBACK_REASONS_BY_DESIGN);
const NOT_BY_DESIGN = isNoneOf(ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON, FALLBACK_REASONS_BY_DESIGN);
/** Of re-acquires: somebody tried them to the end. */
export const TRIED = isNoneOf(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME, UNTRIED_REACQUIRE_OUTCOMES);

const ACQUIRE = 'acquire_run_lease' satisfies OperationName;
/** What gives a lease back. `release_run_leases` is made of these. */
const TEARDOWN = [
  'release_run_lease',
  'destroy_run_lease',
  'retry_pending_sandbox_teardown',
] satisfies OperationName[];
export const IS_ACQUIRE = is(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, ACQUIRE);
export const IS_TEARDOWN = isOneOf(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, TEARDOWN);
export const HAS_FAILED = isNot(ATTR_ERROR_TYPE, '');

function plus(scope: Scope, ...matchers: Matcher[]): Scope {
  return { ...scope, matchers: [...(scope.matchers ?? []), ...matchers] };
}

/** All requests for a channel, however they ended. */
export function allRequests(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({ metric: METRIC_PAPERCLIP_DUPLEX_REQUESTS, ...scope });
}

/** Requests that were meant to have a channel and were not cancelled: the whole of the fallback rate. */
export function requests(scope: Scope, count: Counting = countWatchedEvents): string {
  return allRequests(plus(scope, NOT_CANCELLED, NOT_BY_DESIGN), count);
}

export function opened(scope: Scope, count: Counting = countWatchedEvents): string {
  return allRequests(plus(scope, is(ATTR_PAPERCLIP_DUPLEX_OUTCOME, OPENED)), count);
}

/** Fallbacks without those by design. */
export function fallbacks(scope: Scope, count: Counting = countWatchedEvents): string {
  return allRequests(plus(scope, is(ATTR_PAPERCLIP_DUPLEX_OUTCOME, FALLBACK), NOT_BY_DESIGN), count);
}

/** Fallbacks by design: the run, its adapter or the provider was not meant to have a channel. */
export function fallbacksByDesign(scope: Scope, count: Counting = countWatchedEvents): string {
  return allRequests(plus(scope, BY_DESIGN), count);
}

export function fallbackRate(scope: Scope, count: Counting = countWatchedEvents): string {
  return share(fallbacks(scope, count), requests(scope, count));
}

/** The share of fallbacks by design in all requests that were not cancelled. */
export function shareByDesign(scope: Scope, count: Counting = countWatchedEvents): string {
  return share(fallbacksByDesign(scope, count), allRequests(plus(scope, NOT_CANCELLED), count));
}

/** Re-acquires that somebody tried. */
export function attempts(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({ metric: METRIC_PAPERCLIP_LEASE_REACQUIRES, ...plus(scope, TRIED) });
}

/** Re-acquires that somebody tried and that did not help. */
export function failedAttempts(scope: Scope, count: Counting = countWatchedEvents): string {
  return attempts(plus(scope, isNot(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME, SUCCEEDED)), count);
}

/** Re-acquire success: those that succeeded of those that somebody tried. */
export function reacquireSuccess(scope: Scope, count: Counting = countWatchedEvents): string {
  const succeeded = attempts(plus(scope, is(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME, SUCCEEDED)), count);
  return share(succeeded, attempts(scope, count));
}

export function operations(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({ metric: METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, ...scope });
}

/** Leases that were asked for. */
export function acquires(scope: Scope, count: Counting = countWatchedEvents): string {
  return operations(plus(scope, IS_ACQUIRE), count);
}

/** What gives leases back. */
export function teardowns(scope: Scope, count: Counting = countWatchedEvents): string {
  return operations(plus(scope, IS_TEARDOWN), count);
}

/** Operations that failed in one way. */
export function failures(errorType: string, scope: Scope, count: Counting = countWatchedEvents): string {
  return operations(plus(scope, is(ATTR_ERROR_TYPE, errorType)), count);
}

/** Operations that failed, whatever the reason. */
export function allFailures(scope: Scope, count: Counting = countWatchedEvents): string {
  return operations(plus(scope, HAS_FAILED), count);
}

export function losses(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({ metric: METRIC_PAPERCLIP_DUPLEX_LOSSES, ...scope });
}

export function endedChannels(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({ metric: METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION, ...scope });
}

/** Channels that could have been lost: those that ended, lost ones included, and those that are open now. */
export function channels(scope: Scope, count: Counting = countWatchedEvents): string {
  const over = larger(endedChannels(scope, count), losses(scope, count));
  const open = sum(select(METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, scope.matchers), scope.by);
  return `(${over} + ${open} or ${over} or ${open})`;
}
