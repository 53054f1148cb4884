/** A seeded source of random numbers: the same seed makes the same load. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** The generator mulberry32: the next number, from 0 up to but not 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to but not `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  shuffle<T>(items: T[]): T[] {
    for (let last = items.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [items[last], items[other]] = [items[other] as T, items[last] as T];
    }
    return items;
  }
}
