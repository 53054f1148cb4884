/** Both rates as the conventions define them, from what the traffic itself counted. */
import type { Counts, RequestEnd, Truth } from './demo.js';

/** By provider, where there is a whole to have a share of. */
export type Rates = Readonly<Record<string, number>>;

/** Fallbacks of the requests that were meant to have a channel. */
export function fallbackRate({ requests }: Truth): Rates {
  return shares(requests, ({ by_design, cancelled, ...ends }) => [count(ends, 'fallback'), total(ends)]);
}

/** Fallbacks by design of all requests that were not cancelled. */
export function fallbacksByDesign({ requests }: Truth): Rates {
  return shares(requests, ({ cancelled, ...ends }) => [count(ends, 'by_design'), total(ends)]);
}

/** The fallback rate of all providers together. */
export function overallFallbackRate({ requests }: Truth): number {
  const sum = (...ends: RequestEnd[]) =>
    [...requests.values()].reduce((all, counted) => all + count(counted, ...ends), 0);
  return sum('fallback') / sum('opened', 'fallback', 'failed');
}

/** Of the re-acquires that somebody tried. */
export function reacquireSuccess({ reacquires }: Truth): Rates {
  return shares(reacquires, ({ not_attempted, not_retried, ...tried }) => [
    count(tried, 'succeeded'),
    total(tried),
  ]);
}

type Ends<End extends string> = Readonly<Partial<Record<End, number>>>;

function shares<End extends string>(
  counts: Counts<End>,
  of: (ends: Ends<End>) => [part: number, whole: number],
): Rates {
  return Object.fromEntries(
    [...counts].flatMap(([provider, ends]) => {
      const [part, whole] = of(ends);
      return whole > 0 ? [[provider, part / whole]] : [];
    }),
  );
}

function count<End extends string>(counts: Ends<End>, ...ends: End[]): number {
  return ends.reduce((sum, end) => sum + (counts[end] ?? 0), 0);
}

function total(counts: Ends<string>): number {
  return count(counts, ...Object.keys(counts));
}
