// @ts-check
/**
 * What the traffic did, counted by the traffic itself in the plainest way, to hold against what the metrics
 * say. It knows nothing of the instrumentation but the names.
 */

/** @import { LeaseShape, OperationName } from 'opentelemetry-instrumentation-paperclip/semconv' */

/**
 * What operations are counted by.
 *
 * @typedef {object} OperationKind
 * @property {OperationName} operation
 * @property {string} [driver]
 * @property {string} [provider]
 * @property {LeaseShape} shape
 * @property {string} outcome `error.type` of a failure, how a lease was acquired, or `ok`
 */

/** @typedef {OperationKind & { count: number }} OperationCount */

export const OK = 'ok';

export class Ledger {
  /** @type {Map<string, number>} */
  #counts = new Map();

  /** @param {OperationKind} kind */
  add(kind) {
    const key = describe(kind);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /**
   * @param {readonly OperationCount[]} counted what the metrics say
   * @returns {string[]} one line for each kind of operation on which both differ
   */
  differences(counted) {
    const metrics = new Map(counted.map((entry) => [describe(entry), entry.count]));
    return [...new Set([...this.#counts.keys(), ...metrics.keys()])]
      .map((kind) => ({ kind, ours: this.#counts.get(kind) ?? 0, theirs: metrics.get(kind) ?? 0 }))
      .filter(({ ours, theirs }) => ours !== theirs)
      .map(({ kind, ours, theirs }) => `${kind}: ledger ${ours}, metrics ${theirs}`);
  }
}

/** @param {OperationKind} kind */
function describe({ operation, driver = '-', provider = '-', shape, outcome }) {
  return [operation, driver, provider, shape, outcome].join(' ');
}
