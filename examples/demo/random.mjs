// @ts-check
/** A small seeded source of random numbers, so that the same seed gives the same traffic. */

/**
 * The generator mulberry32.
 *
 * @param {number} seed
 * @returns {() => number} the next number, from 0 up to but not 1
 */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @template {{ weight: number }} T
 * @param {readonly T[]} choices
 * @param {() => number} random
 * @returns {T} one of them, the heavier the likelier
 */
export function pickWeighted(choices, random) {
  let rest = random() * choices.reduce((sum, { weight }) => sum + weight, 0);
  const found = choices.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
  return /** @type {T} */ (found ?? choices.at(-1));
}
