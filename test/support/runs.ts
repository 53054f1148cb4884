/** Whether this is the long run (`npm run test:all`): the project `full` of `vitest.config.ts` sets it. */
export const isFull = process.env.FULL === '1';

/**
 * How many cases of a property to try. `RUNS=1000000` sets it for one property that is run by hand.
 *
 * @param full as many as the long run tries
 * @param fast as many as `npm test` tries
 */
export function runs(full: number, fast = 300): number {
  return Number(process.env.RUNS ?? (isFull ? full : fast));
}
