/**
 * Shares of failures that are certainly too high, at any traffic. A pair of windows fires where the lower bound of the long window's
 * share is above the limit, and the short window's share is, too; the hour has none, since few events leave a short one empty. Several pairs
 * serve busy servers and those with a few runs a day. So the SRE workbook alerts on its objectives, with the bound in the place of
 * hundreds of events.
 */
import {
  OVER_MIN_EVENTS,
  SHARE_MIN_EVENTS,
  SUDDEN_MIN_EVENTS,
  type Timing,
  type WindowPair,
} from '../limits.js';
import { labelName } from '../names.js';
import { type Count, duration, joined, lowerBound, type Matcher, wordsWithArticle } from '../promql.js';
import { recordedEvents } from './events.js';
import { type Counted, type LookUp, type Recording, WINDOW } from './rule.js';

type Counting = (scope: Omit<Count, 'metric'>, count: (count: Omit<Count, 'window'>) => string) => string;

/** Failures of attempts. */
export interface Share {
  /** What the names of recordings begin with: the labels of {@link by}. */
  readonly level: string;
  /** What is attempted, which attempts failed, and the share of these, in the names of recordings. */
  readonly names: { readonly attempts: string; readonly failures: string; readonly share: string };
  readonly countAttempts: Counting;
  readonly countFailures: Counting;
  /** The attempts that have succeeded or failed, where others are still open. */
  readonly countSettled?: Counting;
  /** The labels that attempts are counted by. */
  readonly by: readonly string[];
  /** Those that failures are counted by in addition. */
  readonly byFailure: readonly string[];
}

function named({ level }: Share, name: string, operation: string, seconds: number): string {
  return `${level}:paperclip_${name}:${operation}${duration(seconds)}`;
}

export function attempts(share: Share, seconds: number, timing: Timing): Recording {
  const scope = { window: duration(seconds), by: share.by };
  return {
    record: named(share, share.names.attempts, 'increase', seconds),
    expr: share.countAttempts(scope, recordedEvents(seconds, timing)),
  };
}

/** With 0 for what has attempts and no failure, where a failure has no labels of its own. */
export function failures(share: Share, seconds: number, timing: Timing): Recording {
  const scope = { window: duration(seconds), by: [...share.by, ...share.byFailure] };
  const counted = share.countFailures(scope, recordedEvents(seconds, timing));
  const none = share.byFailure.length > 0 ? '' : ` or 0 * ${attempts(share, seconds, timing).record}`;
  return { record: named(share, share.names.failures, 'increase', seconds), expr: `${counted}${none}` };
}

function failureShare(share: Share, seconds: number, timing: Timing): Recording {
  const whole = `(${attempts(share, seconds, timing).record} > 0)`;
  return {
    record: named(share, share.names.share, 'ratio', seconds),
    expr: `${failures(share, seconds, timing).record} / ${joined(share.by)} ${whole}`,
  };
}

function failureBound(share: Share, seconds: number, timing: Timing): Recording {
  const least = seconds === timing.shares.sudden ? SUDDEN_MIN_EVENTS : SHARE_MIN_EVENTS;
  const part = failures(share, seconds, timing).record;
  return {
    record: named(share, share.names.share, 'lower_bound', seconds),
    expr: lowerBound(part, attempts(share, seconds, timing).record, share.by, least),
  };
}

/** The long windows: what is recorded of their shares is more than counts. */
export function longWindows({ shares: { sudden, busy, usual, quiet } }: Timing): number[] {
  return [...new Set([sudden, busy.long, usual.long, quiet.long])];
}

/** What an alert about the share refers to, those that others refer to first. */
export function shareRecordings(share: Share, timing: Timing): Recording[] {
  const { busy, usual, quiet } = timing.shares;
  const long = longWindows(timing);
  const windows = [...new Set([...long, busy.short, usual.short, quiet.short])].sort((a, b) => a - b);
  return windows.flatMap((window) => [
    attempts(share, window, timing),
    failures(share, window, timing),
    ...(long.includes(window)
      ? [failureShare(share, window, timing), failureBound(share, window, timing)]
      : []),
  ]);
}

/**
 * The share of failures where it is certainly above the limit, and still is.
 *
 * Hours and days remember a failure for long. So they do not fire where the time since has enough attempts to say that it is over.
 */
export function exceeds(share: Share, limit: number, timing: Timing): string {
  const { sudden, busy, usual, quiet } = timing.shares;
  const isHigh = (window: number) =>
    `${failures(share, window, timing).record} > ${joined(share.by)} (${limit} * ${attempts(share, window, timing).record})`;
  const certain = (window: number) =>
    `${failureShare(share, window, timing).record} and ${failureBound(share, window, timing).record} > ${limit}`;
  const pair = ({ long, short }: WindowPair) => `${certain(long)} and ${isHigh(short)}`;
  const labels = `on (${share.by.map(labelName).join(', ')})`;
  const settled = (window: number) =>
    share.countSettled === undefined
      ? attempts(share, window, timing).record
      : share.countSettled({ window: duration(window), by: share.by }, recordedEvents(window, timing));
  const isOver = (window: number) =>
    `(${settled(window)} >= ${OVER_MIN_EVENTS} unless ${labels} ${isHigh(window)})`;
  const over = `unless ${labels} (${isOver(busy.short)} or ${isOver(busy.long)})`;
  return `${certain(sudden)} or (${certain(busy.long)} or ${pair(usual)} or ${pair(quiet)}) ${over}`;
}

/**
 * How many of how many an alert about the share is about: within the shortest window that is certainly above the limit.
 *
 * @param things what is attempted, in the plural
 */
export function counted(share: Share, limit: number, things: string, timing: Timing): Counted {
  const [longest = 0, ...shorter] = longWindows(timing).reverse();
  const within = (matchers: Matcher[]) => (seconds: number, recording: Recording) => {
    const of = `{${matchers.join(', ')}}`;
    const isCertain = `${failureBound(share, seconds, timing).record}${of} > ${limit}`;
    return `${recording.record}${of}${seconds === longest ? '' : ` and on () ${isCertain}`}`;
  };
  const windows = [...shorter.reverse(), longest];
  return {
    things,
    failed: {
      labels: [...share.by, ...share.byFailure],
      expr: (matchers) =>
        windows
          .map((seconds) => {
            const failed = within(matchers)(seconds, failures(share, seconds, timing));
            return `label_replace(${failed}, "${WINDOW}", "${wordsWithArticle(seconds)}", "", "")`;
          })
          .join(' or on () '),
    },
    all: {
      labels: share.by,
      expr: (matchers) =>
        windows
          .map((seconds) => within(matchers)(seconds, attempts(share, seconds, timing)))
          .join(' or on () '),
    },
  };
}

/** The most frequent value of a label among failures, lately. */
export function mostFrequent(label: string, share: Share, timing: Timing): LookUp {
  const { usual, quiet } = timing.shares;
  return {
    labels: [...share.by, ...share.byFailure],
    expr: (matchers) => {
      const within = (seconds: number) => {
        const count = recordedEvents(seconds, timing);
        const scope = { window: duration(seconds), by: [label] };
        return share.countFailures(scope, ({ matchers: others = [], ...rest }) =>
          count({ ...rest, matchers: [...others, ...matchers] }),
        );
      };
      return `topk(1, ${within(usual.long)} > 0 or on () ${within(quiet.long)} > 0)`;
    },
  };
}
