// @ts-check
/** Two ways to do the same, measured in turns. */

/**
 * One way. Its loop is written out in `run`, because a loop that two ways shared would be optimized for neither.
 *
 * @typedef {object} Side
 * @property {(operations: number) => Promise<void>} run does the operation that often, one after the other; measured
 * @property {() => Promise<void>} settle takes away what the operations left behind, such as spans to export; not measured
 */

/** The operations between two readings of the clock. Their spans fit into the batch processor's queue. */
export const SLICE = 256;

/** The slices of one round: long enough to have their share of garbage collections. */
const SLICES = 32;

/**
 * Processor time of this process, all threads: that of the garbage collector belongs to it, that of other
 * processes on the machine does not.
 *
 * @param {Side} side
 * @returns {Promise<number>} nanoseconds for each operation of one round
 */
export async function round(side) {
  let used = 0;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const before = process.cpuUsage();
    await side.run(SLICE);
    const { user, system } = process.cpuUsage(before);
    used += user + system;
    await side.settle();
  }
  return (1000 * used) / (SLICES * SLICE);
}

/**
 * Measures both sides in turns, after a warm-up of both. Which of them begins changes from round to round.
 *
 * @param {Side} subject
 * @param {Side} reference
 * @param {{ rounds: number, warmUp: number }} options counted in rounds of each side
 * @returns {Promise<{ subject: number, reference: number }[]>} nanoseconds for each operation, by round
 */
export async function inTurns(subject, reference, { rounds, warmUp }) {
  const measured = [];
  for (let number = -warmUp; number < rounds; number += 1) {
    const times = { subject: 0, reference: 0 };
    if (number % 2 === 0) {
      times.subject = await round(subject);
      times.reference = await round(reference);
    } else {
      times.reference = await round(reference);
      times.subject = await round(subject);
    }
    if (number >= 0) measured.push(times);
  }
  return measured;
}

/**
 * @param {readonly number[]} values
 * @param {number} share 0.5 for the median
 * @returns {number} interpolated
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.ceil(position);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}
