/**
 * Shares of failures that are certainly too high, at any traffic. A pair of windows fires where the lower bound of the long window's
 * share is above the limit, and the short window's share is, too. Several pairs serve busy servers and those with a few runs a
 * day. So the SRE workbook alerts on its objectives, with the bound in the place of hundreds of events.
 */
import { SHARE_MIN_EVENTS, type Timing, type WindowPair } from '../limits.js';
import { labelName } from '../names.js';
import { type Count, duration, joined, lowerBound } from '../promql.js';
import type { Recording, Reference } from './rule.js';

type Counting = (scope: Omit<Count, 'metric'>) => string;

/** Failures of attempts. */
export interface Share {
  /** What the names of recordings begin with: the labels of {@link by}. */
  readonly level: string;
  /** What is attempted, in the names of recordings. */
  readonly attempts: string;
  readonly countAttempts: Counting;
  readonly countFailures: Counting;
  /** The labels that attempts are counted by. */
  readonly by: readonly string[];
  /** Those that failures are counted by in addition. */
  readonly byFailure: readonly string[];
}

function attempts({ level, attempts: name, countAttempts, by }: Share, seconds: number): Recording {
  const window = duration(seconds);
  return { record: `${level}:paperclip_${name}:increase${window}`, expr: countAttempts({ window, by }) };
}

/** With 0 for what has attempts and no failure, where a failure has no labels of its own. */
function failures(share: Share, seconds: number, refer: Reference): Recording {
  const window = duration(seconds);
  const counted = share.countFailures({ window, by: [...share.by, ...share.byFailure] });
  const none = share.byFailure.length > 0 ? '' : ` or 0 * ${refer(attempts(share, seconds))}`;
  return {
    record: `${share.level}:paperclip_failed_${share.attempts}:increase${window}`,
    expr: `${counted}${none}`,
  };
}

function failureShare(share: Share, seconds: number, refer: Reference): Recording {
  const whole = `(${refer(attempts(share, seconds))} > 0)`;
  return {
    record: `${share.level}:paperclip_failed_${share.attempts}:ratio${duration(seconds)}`,
    expr: `${refer(failures(share, seconds, refer))} / ${joined(share.by)} ${whole}`,
  };
}

function failureBound(share: Share, seconds: number, refer: Reference): Recording {
  return {
    record: `${share.level}:paperclip_failed_${share.attempts}:lower_bound${duration(seconds)}`,
    expr: lowerBound(refer(failures(share, seconds, refer)), refer(attempts(share, seconds)), share.by),
  };
}

/** What an alert about the share refers to within one pair of windows, those that others refer to first. */
export function shareRecordings(share: Share, { long, short }: WindowPair): Recording[] {
  const byName: Reference = ({ record }) => record;
  return [
    ...[long, short].flatMap((window) => [attempts(share, window), failures(share, window, byName)]),
    failureShare(share, long, byName),
    failureBound(share, long, byName),
  ];
}

/**
 * The share of failures where it is certainly above the limit, and still is.
 *
 * Days remember a failure for long. So the pair of days does not fire where the short window before it has enough attempts to say
 * that it is over.
 */
export function exceeds(share: Share, limit: number, { shares }: Timing, refer: Reference): string {
  const goesOn = (short: number) =>
    `${refer(failures(share, short, refer))} > ${joined(share.by)} (${limit} * ${refer(attempts(share, short))})`;
  const pair = ({ long, short }: WindowPair) =>
    [
      refer(failureShare(share, long, refer)),
      `${refer(failureBound(share, long, refer))} > ${limit}`,
      goesOn(short),
    ].join(' and ');
  const { short } = shares.usual;
  const labels = share.by.map(labelName).join(', ');
  const isOver = `(${refer(attempts(share, short))} >= ${SHARE_MIN_EVENTS} unless on (${labels}) ${goesOn(short)})`;
  return `${pair(shares.busy)} or ${pair(shares.usual)} or (${pair(shares.quiet)} unless on (${labels}) ${isOver})`;
}
