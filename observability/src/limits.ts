/** What is too much, and over which time: the numbers that alerts fire at and that panels draw as thresholds. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Share of requests for a channel that fall back: from where on to look, and from where on an alert fires. */
export const FALLBACK_RATE = { notable: 0.1, high: 0.25 } as const;
/** Fewer requests than this within the window make no rate. */
export const FALLBACK_MIN_REQUESTS = 10;

/** Share of re-acquires that should succeed. What is left of 1 is the budget for failures. */
export const REACQUIRE_OBJECTIVE = 0.95;
/** From where on to look: twice the failures that the objective allows. */
export const REACQUIRE_NOTABLE = 0.9;
/** How many times as fast as the objective allows the budget is used up when the alerts fire. */
export const REACQUIRE_BURN = { fast: 14.4, slow: 6 } as const;
/** Fewer re-acquires than this within the long window make no rate. */
export const REACQUIRE_MIN_ATTEMPTS = 4;

/** A spike is this many times the usual number … */
export const SPIKE_FACTOR = 3;
/** … and at least this many, so that one error at night is none. */
export const SPIKE_MIN_ERRORS = 5;
/** Operations that lacked metadata after a deployment. */
export const MISSING_METADATA_MIN_ERRORS = 3;

/** Channels lost within the window, and their share of those opened. */
export const LOSSES_MIN = 3;
export const LOSS_RATE = 0.05;

/** Operations that the same hour must have had before for an hour without any to mean something. */
export const SILENCE_MIN_OPERATIONS = 10;

/** Shares of failed operations from where on to look, and to worry. */
export const FAILURE_RATE = { notable: 0.02, high: 0.1 } as const;

/**
 * Shares of few events are estimates. What is compared with a limit is the lower bound of Wilson's score interval, this many
 * standard deviations below the share: 4 failures of 4 have a bound of 0.31, 1 of 4 has one of 0.03.
 */
export const CONFIDENCE = 3;
/** Fewer events than this within a window say nothing. */
export const SHARE_MIN_EVENTS = 4;
/** The share of failures that acquires, teardowns and calls of plug-ins certainly have when their alerts fire. */
export const FAILING_SHARE = FAILURE_RATE.high;

/** So many leases more than before that wait for their cleanup are a growing number. */
export const WAITING_MIN_GROWTH = 3;

/**
 * How long a series is remembered, in seconds: one that comes back within this time goes on, where a new one counts from 0.
 * Prometheus reads that much of every series that is counted, at each evaluation.
 */
export const REMEMBERED = 6 * HOUR;

/** A long window shows that something matters, and a short one that it goes on. */
export interface WindowPair {
  readonly long: number;
  readonly short: number;
}

/** Durations in seconds. */
export interface Timing {
  /** How often rules are evaluated. */
  readonly interval: number;
  /**
   * How often those are that read days of every series: they cost most, and are in no hurry. Prometheus takes a value for the present
   * for five minutes.
   */
  readonly slowInterval: number;
  /** Unsupported operations: the time looked at, and the past that it is compared with. */
  readonly spike: { readonly window: number; readonly past: number; readonly before: number };
  readonly fallback: { readonly window: number };
  /**
   * Re-acquires: both windows of a pair must show failures, the long one that they matter and the short one that
   * they go on. The short ones are longer than the twelfth that is usual, since re-acquires are few.
   */
  readonly reacquire: {
    readonly fast: WindowPair;
    readonly slow: WindowPair;
  };
  /** Missing metadata: the time looked at, and how long after a deployment. */
  readonly metadata: { readonly window: number; readonly deployment: number };
  readonly losses: { readonly window: number };
  /** Silence: the time looked at, and the two times in the past that had operations. */
  readonly silence: { readonly window: number; readonly lately: number; readonly earlier: number };
  /**
   * Shares of failures, from busy servers to those with a few runs a day. The last short window is longer than the twelfth
   * that is usual, so that an alert stays where the next attempt comes hours later.
   */
  readonly shares: { readonly busy: WindowPair; readonly usual: WindowPair; readonly quiet: WindowPair };
  /** Leases that are not over: the oldest that waits for cleanup, and the time in which the number of those grows. */
  readonly leases: {
    readonly waiting: number;
    readonly growth: number;
    /** The oldest that no run holds. Tests of an environment and logins hold one for minutes. */
    readonly withoutRun: number;
  };
  /** How long an operation may be under way: a command may run for hours. */
  readonly underWay: { readonly execute: number; readonly other: number };
  /** How long a condition must hold: those that are about few events, and those about rates. */
  readonly hold: { readonly short: number; readonly long: number };
}

export const TIMING: Timing = {
  interval: MINUTE,
  slowInterval: 4 * MINUTE,
  spike: { window: 10 * MINUTE, past: DAY, before: HOUR },
  fallback: { window: 30 * MINUTE },
  reacquire: {
    fast: { long: HOUR, short: 15 * MINUTE },
    slow: { long: 6 * HOUR, short: HOUR },
  },
  metadata: { window: 30 * MINUTE, deployment: HOUR },
  losses: { window: 15 * MINUTE },
  silence: { window: HOUR, lately: DAY, earlier: 7 * DAY },
  shares: {
    busy: { long: HOUR, short: 5 * MINUTE },
    usual: { long: 6 * HOUR, short: 30 * MINUTE },
    quiet: { long: 3 * DAY, short: 12 * HOUR },
  },
  leases: { waiting: HOUR, growth: HOUR, withoutRun: DAY },
  underWay: { execute: DAY, other: 15 * MINUTE },
  hold: { short: 2 * MINUTE, long: 10 * MINUTE },
};

/** The same rules for a test that has no day to wait: every duration divided, none shorter than a second. */
export function accelerate(timing: Timing, times: number): Timing {
  const divide = (value: unknown): unknown =>
    typeof value === 'number'
      ? Math.max(1, Math.round(value / times))
      : Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, divide(inner)]));
  return divide(timing) as Timing;
}
