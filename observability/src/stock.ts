/** The quantities about leases that are not over: what Paperclip's own table says of them. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_LEASE_POLICY,
  ATTR_PAPERCLIP_LEASE_RUN,
  ATTR_PAPERCLIP_LEASE_STATUS,
  DRIVERS_WITHOUT_PROVIDER,
  type HELD_LEASE_STATUSES,
  type LEASE_POLICIES,
  type LeaseRun,
  METRIC_PAPERCLIP_LEASE_HELD,
  METRIC_PAPERCLIP_LEASE_OLDEST,
} from '../../src/semconv.js';
import { aggregate, BY_DRIVER, is, isNoneOf, type Matcher, selectLeases, sum } from './promql.js';

type Status = (typeof HELD_LEASE_STATUSES)[number];

/** Policies that keep a sandbox for the next run on purpose. */
const REUSABLE = [
  'reuse_by_environment',
  'reuse_by_execution_workspace',
] satisfies (typeof LEASE_POLICIES)[number][];
const WAITS = is(ATTR_PAPERCLIP_LEASE_STATUS, 'pending_cleanup' satisfies Status);
const IN_USE = is(ATTR_PAPERCLIP_LEASE_STATUS, 'active' satisfies Status);
const ofRun = (run: LeaseRun) => is(ATTR_PAPERCLIP_LEASE_RUN, run);

/** Leases of sandboxes. On the server's own machines a lease costs nothing. */
export const IS_SANDBOX = isNoneOf(ATTR_PAPERCLIP_ENVIRONMENT_DRIVER, DRIVERS_WITHOUT_PROVIDER);

/** How many leases there are. */
export function held(
  matchers: readonly Matcher[],
  by: readonly string[] = BY_DRIVER,
  offset?: string,
): string {
  return sum(selectLeases(METRIC_PAPERCLIP_LEASE_HELD, matchers, offset), by);
}

/** Seconds since the oldest of them was acquired. */
export function oldest(matchers: readonly Matcher[], by: readonly string[] = BY_DRIVER): string {
  return aggregate('max', selectLeases(METRIC_PAPERCLIP_LEASE_OLDEST, matchers), by);
}

/** Leases that wait for their sandbox to be given up. */
export function waiting(matchers: readonly Matcher[], offset?: string): string {
  return held([WAITS, ...matchers], BY_DRIVER, offset);
}

/** Seconds since the oldest lease that waits was acquired. */
export function oldestWaiting(matchers: readonly Matcher[]): string {
  return oldest([WAITS, ...matchers]);
}

/**
 * Leases of sandboxes that look as if they were in use, and nobody will give back: their run has ended, or there is none and
 * they are old. Those that are kept on purpose are left out.
 *
 * @param withoutRun the age, in seconds, from which on a lease without a run counts
 */
export function stranded(matchers: readonly Matcher[], withoutRun: number): string {
  const inUse = [IN_USE, isNoneOf(ATTR_PAPERCLIP_LEASE_POLICY, REUSABLE), IS_SANDBOX, ...matchers];
  const ended = selectLeases(METRIC_PAPERCLIP_LEASE_HELD, [...inUse, ofRun('ended')]);
  const none = selectLeases(METRIC_PAPERCLIP_LEASE_HELD, [...inUse, ofRun('none')]);
  const ageOfNone = selectLeases(METRIC_PAPERCLIP_LEASE_OLDEST, [...inUse, ofRun('none')]);
  return sum(`${ended} or (${none} and ${withoutRun} < ${ageOfNone})`, BY_DRIVER);
}
