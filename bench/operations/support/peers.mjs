// @ts-check
/** What instrumentations add to an operation of their libraries, all of them measured in turns. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { quantile } from './measure.mjs';

const program = fileURLToPath(new URL('one-peer.mjs', import.meta.url));

/**
 * @typedef {object} Overhead
 * @property {number} bare nanoseconds for an operation of the library, median
 * @property {number} added nanoseconds that the instrumentation adds, median
 * @property {number[]} byRound what it adds, by round
 */

/**
 * @param {string} node the Node.js to run them with
 * @param {readonly string[]} names
 * @param {{ rounds: number, warmUp: number }} options
 * @returns {Promise<Record<string, Overhead>>}
 */
export async function overheads(node, names, { rounds, warmUp }) {
  const peers = names.map((name) => ({
    name,
    bare: new Peer(node, name, 'bare'),
    with: new Peer(node, name, 'instrumented'),
  }));
  try {
    const measured = new Map(
      names.map((name) => [name, /** @type {{ bare: number, added: number }[]} */ ([])]),
    );
    for (let number = -warmUp; number < rounds; number += 1) {
      for (const peer of number % 2 === 0 ? peers : peers.toReversed()) {
        const bare = await peer.bare.round();
        const added = (await peer.with.round()) - bare;
        if (number >= 0) measured.get(peer.name)?.push({ bare, added });
      }
    }
    return Object.fromEntries([...measured].map(([name, all]) => [name, summary(all)]));
  } finally {
    for (const peer of peers) for (const process of [peer.bare, peer.with]) process.stop();
  }
}

/**
 * @param {{ bare: number, added: number }[]} all
 * @returns {Overhead}
 */
function summary(all) {
  const byRound = all.map(({ added }) => added);
  return {
    bare: quantile(
      all.map(({ bare }) => bare),
      0.5,
    ),
    added: quantile(byRound, 0.5),
    byRound,
  };
}

class Peer {
  #process;
  #exited;

  /**
   * @param {string} node
   * @param {string} name
   * @param {'bare' | 'instrumented'} kind
   */
  constructor(node, name, kind) {
    this.#process = spawn(node, [program, name, kind], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#exited = once(this.#process, 'exit').then(([code]) => {
      throw new Error(`the process of ${name} has ended with ${code}`);
    });
    // The end is no error where nobody waits for a round.
    this.#exited.catch(() => {});
  }

  /** @returns {Promise<number>} nanoseconds for an operation */
  async round() {
    this.#process.send('round');
    const [nanoseconds] = await Promise.race([once(this.#process, 'message'), this.#exited]);
    return nanoseconds;
  }

  stop() {
    this.#process.kill();
  }
}
