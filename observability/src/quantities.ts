/** The quantities that rules and panels share, so that an alert and the panel that explains it count alike. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  type DuplexOutcome,
  FALLBACK_REASONS,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type ReacquireOutcome,
} from '../../src/semconv.js';
import { type Count, countEvents, countWatchedEvents, is, isNot, type Matcher, share } from './promql.js';

type Scope = Omit<Count, 'metric'>;
/** {@link countEvents} or {@link countWatchedEvents}. */
type Counting = (count: Count) => string;

const [GATE_OFF] = FALLBACK_REASONS;
const FALLBACK = 'fallback' satisfies DuplexOutcome;
const OPENED = 'opened' satisfies DuplexOutcome;
const SUCCEEDED = 'succeeded' satisfies ReacquireOutcome;
const NOT_ATTEMPTED = 'not_attempted' satisfies ReacquireOutcome;

/** Leaves out the fallbacks that an operator chose. */
export const WITHOUT_GATE_OFF: Matcher = isNot(ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON, GATE_OFF);

function plus(scope: Scope, ...matchers: Matcher[]): Scope {
  return { ...scope, matchers: [...(scope.matchers ?? []), ...matchers] };
}

export function requests(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({ metric: METRIC_PAPERCLIP_DUPLEX_REQUESTS, ...scope });
}

export function opened(scope: Scope, count: Counting = countWatchedEvents): string {
  return requests(plus(scope, is(ATTR_PAPERCLIP_DUPLEX_OUTCOME, OPENED)), count);
}

export function fallbacks(scope: Scope, count: Counting = countWatchedEvents): string {
  return requests(plus(scope, is(ATTR_PAPERCLIP_DUPLEX_OUTCOME, FALLBACK)), count);
}

/** Fallback rate: fallbacks of all requests. */
export function fallbackRate(scope: Scope, count: Counting = countWatchedEvents): string {
  return share(fallbacks(scope, count), requests(scope, count));
}

/** Fallback rate that alerts use: without the requests that an operator has switched off. */
export function fallbackRateWithoutGateOff(scope: Scope, count: Counting = countWatchedEvents): string {
  return fallbackRate(plus(scope, WITHOUT_GATE_OFF), count);
}

/** Re-acquires that somebody tried. */
export function attempts(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({
    metric: METRIC_PAPERCLIP_LEASE_REACQUIRES,
    ...plus(scope, isNot(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME, NOT_ATTEMPTED)),
  });
}

/** Re-acquires that did not help. */
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

/** Operations that failed in one way. */
export function failures(errorType: string, scope: Scope, count: Counting = countWatchedEvents): string {
  return operations(plus(scope, is(ATTR_ERROR_TYPE, errorType)), count);
}

/** Operations that failed, whatever the reason. */
export function allFailures(scope: Scope, count: Counting = countWatchedEvents): string {
  return operations(plus(scope, isNot(ATTR_ERROR_TYPE, '')), count);
}

export function losses(scope: Scope, count: Counting = countWatchedEvents): string {
  return count({ metric: METRIC_PAPERCLIP_DUPLEX_LOSSES, ...scope });
}
