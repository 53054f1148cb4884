// @ts-check
/**
 * The traffic: requests of agents for a place to work, sent to the server over HTTP. Each takes a lease,
 * works on it, and gives it back. The same seed makes the same requests.
 */
import {
  LEASE_IDENTITY_FIELDS,
  PROVIDERS,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
  VALUE_OTHER,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { ENVIRONMENTS } from './environments.mjs';
import { Ledger, OK } from './ledger.mjs';
import { createRandom, pickWeighted } from './random.mjs';

/** @import { LeaseShape, OperationName } from 'opentelemetry-instrumentation-paperclip/semconv' */
/** @import { Environment } from './environments.mjs' */
/** @import { DuplexAnswer } from './server.mjs' */

const [PLUGIN_ID, PROVIDER, PROVIDER_LEASE_ID] = LEASE_IDENTITY_FIELDS;
const PLUGIN_FLAG = 'metadata.sandboxProviderPlugin';

/**
 * @typedef {object} Kind
 * @property {number} weight how many requests are of this kind, compared with the others
 * @property {string} environment
 * @property {'duplex' | 'execute'} [work]
 * @property {string[]} [lost] fields that the lease lacks, as if an older release had stored it
 */

/** @type {readonly Kind[]} */
const KINDS = [
  { weight: 5, environment: 'daytona', work: 'duplex' },
  { weight: 2, environment: 'daytona', work: 'duplex', lost: [PROVIDER_LEASE_ID] },
  { weight: 1, environment: 'daytona', work: 'duplex', lost: [PLUGIN_ID, PROVIDER] },
  { weight: 4, environment: 'e2b', work: 'duplex' },
  { weight: 3, environment: 'e2b', work: 'duplex', lost: [PLUGIN_FLAG] },
  { weight: 4, environment: 'kubernetes', work: 'duplex' },
  { weight: 3, environment: 'kubernetes', work: 'execute' },
  { weight: 2, environment: 'in-house', work: 'duplex' },
  { weight: 1, environment: 'in-house', work: 'duplex', lost: [PROVIDER] },
  { weight: 2, environment: 'machines', work: 'duplex' },
  { weight: 1, environment: 'ssh' },
  { weight: 1, environment: 'local' },
];

/** How many requests are under way at the same time. */
const CONCURRENCY = 8;
/** Share of the commands that end with exit code 1, which is a result like any other. */
const FAILING_COMMANDS = 0.15;

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
   */
  async send(count, stop) {
    // Drawn before anything is sent: the order in which answers come must not change what is asked.
    const requests = Array.from({ length: count }, () => ({
      kind: pickWeighted(KINDS, this.#random),
      command: this.#random() < FAILING_COMMANDS ? 'false' : 'true',
    }));
    const lane = async () => {
      for (let next = requests.shift(); next && !stop.aborted; next = requests.shift()) {
        await this.#request(next.kind, next.command);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  }

  /**
   * @param {Kind} kind
   * @param {string} command
   */
  async #request({ environment: id, work, lost = [] }, command) {
    const environment = /** @type {Environment} */ (ENVIRONMENTS.get(id));
    const book = new Book(this.ledger, environment);
    const shape = shapeOf(environment, lost);
    this.sent += 1;
    const run = `run-${this.sent}`;

    const { lease } = await this.#call('POST', '/leases', { environment: id, run, lost });
    book.acquired();
    const answer = work && (await this.#call('POST', `/leases/${lease}/${work}`, { command }));
    if (work === 'execute') book.did('execute', shape);
    if (work === 'duplex') book.didDuplex(shape, answer.via);
    await this.#call('DELETE', `/runs/${run}`);
    book.released(answer?.via === 'reacquire' ? [shape, 'plugin_complete'] : [shape]);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  async #call(method, path, body) {
    const response = await fetch(this.#url + path, { method, body: body ? JSON.stringify(body) : null });
    const answer = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${answer.error}`);
    return answer;
  }
}

/** Enters into the ledger what one request makes the server do. */
class Book {
  /**
   * @param {Ledger} ledger
   * @param {Environment} environment
   */
  constructor(ledger, { driver, config }) {
    this.ledger = ledger;
    this.driver = driver;
    this.provider = config.provider;
  }

  acquired() {
    const provider = this.provider && labelOf(this.provider);
    const outcome = this.driver === 'sandbox' ? 'created' : OK;
    this.ledger.add({
      operation: 'acquire_run_lease',
      driver: this.driver,
      ...(provider && { provider }),
      shape: 'absent',
      outcome,
    });
  }

  /**
   * @param {OperationName} operation
   * @param {LeaseShape} shape
   * @param {string} [outcome]
   */
  did(operation, shape, outcome = OK) {
    // Where no provider is configured, the lease names the driver as its provider.
    const provider = labelOf(this.provider ?? this.driver);
    this.ledger.add({ operation, driver: this.driver, provider, shape, outcome });
  }

  /**
   * @param {LeaseShape} shape
   * @param {DuplexAnswer} via
   */
  didDuplex(shape, via) {
    switch (via) {
      case 'channel':
        return this.did('open_duplex_channel', shape);
      case 'fallback':
        this.did('open_duplex_channel', shape, TAG_UNSUPPORTED_DRIVER_OPERATION);
        return this.did('execute', shape);
      case 'reacquire':
        this.did('open_duplex_channel', shape, TAG_MISSING_METADATA_FIELD);
        this.acquired();
        return this.did('open_duplex_channel', 'plugin_complete');
    }
  }

  /** @param {LeaseShape[]} shapes of the leases that the run held */
  released(shapes) {
    this.ledger.add({ operation: 'release_run_leases', shape: 'absent', outcome: OK });
    for (const shape of shapes) this.did('release_run_lease', shape);
  }
}

/**
 * @param {Environment} environment
 * @param {string[]} lost
 * @returns {LeaseShape}
 */
function shapeOf({ driver }, lost) {
  if (driver !== 'sandbox' || lost.includes(PLUGIN_FLAG)) return 'non_plugin';
  return lost.length > 0 ? 'plugin_incomplete' : 'plugin_complete';
}

/** @param {string} provider */
function labelOf(provider) {
  return /** @type {readonly string[]} */ (PROVIDERS).includes(provider) ? provider : VALUE_OTHER;
}
