// @ts-check
/**
 * What the traffic did, counted by the traffic itself in the plainest way, to hold against what the metrics
 * say. It knows nothing of the instrumentation but the names.
 */
/** @import { ChannelEnd, DuplexOutcome, FORWARD_OUTCOMES, IoDirection, LeaseShape, LOSS_CLASSES, LOSS_REASONS, OperationName, ReacquireOutcome } from 'opentelemetry-instrumentation-paperclip/semconv' */

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
/** @typedef {[row: string, count: number]} Count */
/** @typedef {(typeof FORWARD_OUTCOMES)[number]} ForwardOutcome */
/** @typedef {(typeof LOSS_CLASSES)[number]} LossClass */
/** @typedef {(typeof LOSS_REASONS)[number]} LossReason */
/** @typedef {DuplexOutcome | typeof BY_DESIGN} RequestEnd how a request for a channel ends */

export const OK = 'ok';
/** In the place of what there is not. */
export const NONE = '-';
/** A fallback of a request that was not meant to have a channel. The fallback rate leaves it out. */
export const BY_DESIGN = 'by_design';

export class Ledger {
  /** @type {Map<string, number>} */
  #counts = new Map();

  /** @param {string} row one of those below @param {number} [count] */
  add(row, count = 1) {
    this.#counts.set(row, (this.#counts.get(row) ?? 0) + count);
  }

  /** @returns {Count[]} */
  counts() {
    return [...this.#counts];
  }

  /**
   * @param {readonly Count[]} counted what the metrics say
   * @returns {string[]} one line for each row in which both differ
   */
  differences(counted) {
    const metrics = new Map(counted);
    return [...new Set([...this.#counts.keys(), ...metrics.keys()])]
      .map((row) => ({ row, ours: this.#counts.get(row) ?? 0, theirs: metrics.get(row) ?? 0 }))
      .filter(({ ours, theirs }) => ours !== theirs)
      .map(({ row, ours, theirs }) => `${row}: ledger ${ours}, metrics ${theirs}`);
  }
}

/** @param {OperationKind} kind */
export function operationRow({ operation, driver = NONE, provider = NONE, shape, outcome }) {
  return [operation, driver, provider, shape, outcome].join(' ');
}

/** @param {string} provider @param {RequestEnd} end */
export function requestRow(provider, end) {
  return `duplex request ${provider} ${end}`;
}

/** @param {string} provider @param {ReacquireOutcome} outcome */
export function reacquireRow(provider, outcome) {
  return `re-acquire ${provider} ${outcome}`;
}

/** @param {string} provider @param {ChannelEnd} end */
export function channelRow(provider, end) {
  return `channel ${provider} ${end}`;
}

/** @param {string} provider @param {IoDirection} direction */
export function bytesRow(provider, direction) {
  return `bytes over channels ${provider} ${direction}`;
}

/** @param {string} provider @param {ForwardOutcome} outcome */
export function forwardRow(provider, outcome) {
  return `forwarded request ${provider} ${outcome}`;
}

/** @param {string} provider @param {LossClass} lossClass @param {LossReason} reason */
export function lossRow(provider, lossClass, reason) {
  return `channel lost ${provider} ${lossClass} ${reason}`;
}

/** @param {string} provider */
export function leakRow(provider) {
  return `session left over ${provider}`;
}
