// @ts-check
/**
 * The traffic: requests of agents for a place to work, sent to the server over HTTP. Each takes a lease,
 * works on it, and gives it back. The same seed makes the same requests.
 */
import { Book } from './book.mjs';
import { ENVIRONMENTS } from './environments.mjs';
import { KINDS, SLEEP } from './kinds.mjs';
import { Ledger } from './ledger.mjs';
import { createRandom, pickWeighted } from './random.mjs';

/** @import { Command } from './duplex-channel.mjs' */
/** @import { Environment } from './environments.mjs' */
/** @import { Kind } from './kinds.mjs' */

/** How many requests are under way at the same time. */
const CONCURRENCY = 8;
/** Share of the commands that end with exit code 1, which is a result like any other. */
const FAILING_COMMANDS = 0.15;
/** What an agent says over a channel. */
const INPUT = 'How are you?\n';

export class Traffic {
  ledger = new Ledger();
  /** Requests sent so far. */
  sent = 0;
  #url;
  #random;

  /**
   * @param {string} url the server's
   * @param {number} seed
   */
  constructor(url, seed) {
    this.#url = url;
    this.#random = createRandom(seed);
  }

  /**
   * @param {number} count how many requests to send
   * @param {AbortSignal} stop when to send no more
   * @param {readonly Kind[]} kinds what they are drawn from
   */
  async send(count, stop, kinds = KINDS) {
    // Drawn before anything is sent: the order in which answers come must not change what is asked.
    const requests = Array.from({ length: count }, () => {
      const kind = pickWeighted(kinds, this.#random);
      const usual = this.#random() < FAILING_COMMANDS ? 'false' : 'true';
      return { kind, command: kind.command ?? usual };
    });
    const lane = async () => {
      for (let next = requests.shift(); next && !stop.aborted; next = requests.shift()) {
        await this.#request(next.kind, next.command);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  }

  /**
   * @param {Kind} kind
   * @param {Command | typeof SLEEP} command
   */
  async #request(kind, command) {
    const { environment: id, work, lost = [], request } = kind;
    const book = new Book(this.ledger, /** @type {Environment} */ (ENVIRONMENTS.get(id)));
    this.sent += 1;
    const run = `run-${this.sent}`;

    const { lease } = await this.#call('POST', '/leases', { environment: id, run, lost });
    book.acquired(lost);
    if (work) {
      const body = { command, input: INPUT };
      const answer = await this.#call('POST', `/leases/${lease}/${work}`, body, request !== 'failed');
      if (work === 'execute') book.executed(command);
      else book.duplex(kind);
      const isOpened = request === 'opened' && command !== SLEEP;
      if (isOpened) book.talked(command, INPUT, answer.output);
      if (isOpened && work === 'bridge') book.forwarded(command);
    }
    await this.#call('DELETE', `/runs/${run}`);
    book.released();
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {boolean} [succeeds] whether the server should be able to do it
   * @returns {Promise<any>}
   */
  async #call(method, path, body, succeeds = true) {
    const response = await fetch(this.#url + path, { method, body: body ? JSON.stringify(body) : null });
    const answer = await response.json();
    if (response.ok === succeeds) return answer;
    throw new Error(`${method} ${path} was answered with ${JSON.stringify(answer)}`);
  }
}
