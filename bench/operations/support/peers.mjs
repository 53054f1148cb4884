// @ts-check
/** What instrumentations add to an operation of their libraries, all of them measured in turns. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('one-peer.mjs', import.meta.url));

/**
 * @param {string} node the Node.js to run them with
 * @param {readonly string[]} names
 * @param {{ rounds: number, warmUp: number }} options
 * @returns {Promise<Record<string, number>[]>} the nanoseconds that each adds to an operation, by round
 */
export async function overheads(node, names, { rounds, warmUp }) {
  const peers = names.map((name) => ({
    name,
    bare: new Peer(node, name, 'bare'),
    with: new Peer(node, name, 'instrumented'),
  }));
  try {
    const measured = [];
    for (let number = -warmUp; number < rounds; number += 1) {
      /** @type {Record<string, number>} */
      const added = {};
      for (const peer of number % 2 === 0 ? peers : peers.toReversed()) {
        const bare = await peer.bare.round();
        added[peer.name] = (await peer.with.round()) - bare;
      }
      if (number >= 0) measured.push(added);
    }
    return measured;
  } finally {
    for (const peer of peers) for (const process of [peer.bare, peer.with]) process.stop();
  }
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
