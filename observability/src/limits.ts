/** What is too much, and over which time: the numbers that alerts fire at and that panels draw as thresholds. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Share of requests for a channel that fall back: from where on to look, and from where on an alert fires. */
export const FALLBACK_RATE = { notable: 0.1, high: 0.25 } as const;

/** Share of re-acquires that should succeed. */
export const REACQUIRE_OBJECTIVE = 0.95;
/** From where on to look, and below which a warning fires: twice the failures that the objective allows. */
export const REACQUIRE_NOTABLE = 0.9;
/** Success below which somebody is called. */
export const REACQUIRE_LOW = 0.5;

/** A spike is this many times the usual number … */
export const SPIKE_FACTOR = 3;
/** … and at least this many. Fewer are seen by the fallback rate. */
export const SPIKE_MIN_ERRORS = 10;
/** Operations that lacked metadata after a deployment. */
export const MISSING_METADATA_MIN_ERRORS = 3;

/** Share of channels that are lost: with a lower one, 2 of 4 would be enough to be certain. */
export const LOSS_RATE = 0.1;

/** Operations that the same time must have had in another week for none now to mean something. */
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
/** Within the shortest window, which is looked at most often: by chance, 4 of 4 fail once in some months. */
export const SUDDEN_MIN_EVENTS = 10;
/** So many events with a share below the limit say that it is over. */
export const OVER_MIN_EVENTS = 6;
/** The share of failures that acquires, teardowns and calls of plug-ins certainly have when their alerts fire. */
export const FAILING_SHARE = FAILURE_RATE.high;

/** So many leases more than before that wait for their cleanup are a growing number. */
export const WAITING_MIN_GROWTH = 3;

/**
 * How long a server is remembered, in seconds: one that comes back within this time is no new one, whose counters began at 0.
 */
export const REMEMBERED = 6 * HOUR;

/** A long window shows that something matters, and a short one that it goes on. */
export interface WindowPair {
  readonly long: number;
  readonly short: number;
}

/** Durations in seconds. */
export interface Timing {
  /**
   * How often rules are evaluated. Events are counted from one evaluation to the next, so what evaluates the rules less often, as a
   * test may, has to say so here.
   */
  readonly interval: number;
  /** How late metrics may arrive and still be counted. */
  readonly lag: number;
  /** How long the last value of a counter is remembered while nobody sees its server: what it counted meanwhile is counted then. */
  readonly gap: number;
  /** Unsupported operations: the time looked at. */
  readonly spike: { readonly window: number };
  /** Missing metadata: the time looked at, and how long after a deployment. */
  readonly metadata: { readonly window: number; readonly deployment: number };
  /**
   * What is usual: the average of the past day without the latest time, which may be what is to be found out, and the most in
   * the same hours a week ago.
   */
  readonly usual: {
    readonly past: number;
    readonly before: number;
    readonly week: number;
    /** How much earlier and later than at this time of the week. */
    readonly around: number;
  };
  /** Silence: the times looked at, and how long one that began is remembered where nothing ends it. */
  readonly silence: { readonly busy: number; readonly quiet: number; readonly remembered: number };
  /**
   * Shares of failures, from busy servers to those with a few runs a day, and sudden ones. Short windows are longer than
   * the twelfth that is usual, so that an alert stays where the next attempt comes hours later.
   */
  readonly shares: {
    readonly sudden: number;
    readonly busy: WindowPair;
    readonly usual: WindowPair;
    readonly quiet: WindowPair;
  };
  /** Leases that are not over: the oldest that waits for cleanup, and the time in which the number of those grows. */
  readonly leases: {
    readonly waiting: number;
    readonly growth: number;
    /** The oldest that no run holds. Tests of an environment and logins hold one for minutes. */
    readonly withoutRun: number;
  };
  /** How long an operation may be under way: a command may run for hours. */
  readonly underWay: { readonly execute: number; readonly other: number };
  /** What is recorded for panels: the time that bars count over, and the one that quantiles are of. */
  readonly panels: { readonly step: number; readonly quantiles: number };
  /** How long a condition must hold: those that are about events, and those about what is there or not. */
  readonly hold: { readonly short: number; readonly long: number };
}

export const TIMING: Timing = {
  interval: MINUTE,
  lag: 30,
  gap: HOUR,
  spike: { window: 10 * MINUTE },
  metadata: { window: 30 * MINUTE, deployment: HOUR },
  usual: { past: DAY, before: HOUR, week: 7 * DAY, around: HOUR },
  silence: { busy: HOUR, quiet: DAY, remembered: 14 * DAY },
  shares: {
    sudden: 15 * MINUTE,
    busy: { long: HOUR, short: 15 * MINUTE },
    usual: { long: 6 * HOUR, short: 3 * HOUR },
    quiet: { long: 3 * DAY, short: 12 * HOUR },
  },
  leases: { waiting: HOUR, growth: HOUR, withoutRun: DAY },
  underWay: { execute: DAY, other: 15 * MINUTE },
  panels: { step: 5 * MINUTE, quantiles: 30 * MINUTE },
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
