/** Lets many agents go on in turns, in an order that the seed decides, by a clock of its own. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Random } from './random.js';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** The most that go on at the same time. */
const MAX_AT_ONCE = 4;

export class Turns {
  /** Milliseconds. Moves between turns only. */
  now = 1_000_000;
  readonly #random: Random;
  /** Those whose turn comes in this round, and in the next one. A round is shuffled. */
  #round: (() => void)[] = [];
  #next: (() => void)[] = [];
  /** Soonest last. */
  readonly #sleepers: Sleeper[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Waits for a turn, which comes before the next round has ended. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#next.push(resolve);
    });
  }

  /** Waits until it is exactly that time. */
  sleepUntil(at: number): Promise<void> {
    return new Promise((wake) => {
      const before = this.#sleepers.findLastIndex((sleeper) => sleeper.at > at);
      this.#sleepers.splice(before + 1, 0, { at, wake });
    });
  }

  /** Gives some a turn at the same time, and waits until nobody can go on without another one. */
  async give(): Promise<void> {
    if (this.#round.length === 0) {
      this.#round = this.#random.shuffle(this.#next);
      this.#next = [];
    }
    const soonest = this.#sleepers.at(-1);
    const isIdle = this.#round.length === 0;
    const then = isIdle && soonest ? soonest.at : this.now + this.#random.below(2);
    if (soonest !== undefined && soonest.at <= then) {
      this.now = soonest.at;
      this.#sleepers.pop();
      soonest.wake();
    } else {
      this.now = then;
      for (const go of this.#round.splice(-1 - this.#random.below(MAX_AT_ONCE))) go();
    }
    await nextTurn();
  }
}
