// @ts-check
/** Enters into the ledger what one request of the traffic makes the server do. */
import {
  ERROR_TYPE_LEASE_CLEANUP_FAILED,
  ERROR_TYPE_TIMEOUT,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { QUOTA_EXCEEDED } from './drivers.mjs';
import { providerOf } from './environments.mjs';
import { PLUGIN_FLAG, SLEEP } from './kinds.mjs';
import {
  BY_DESIGN,
  bytesRow,
  channelRow,
  forwardRow,
  leakRow,
  lossRow,
  NONE,
  OK,
  operationRow,
  reacquireRow,
  requestRow,
} from './ledger.mjs';

/** @import { ChannelEnd, LeaseShape, OperationName } from 'opentelemetry-instrumentation-paperclip/semconv' */
/** @import { Command } from './duplex-channel.mjs' */
/** @import { Environment } from './environments.mjs' */
/** @import { Kind } from './kinds.mjs' */
/** @import { Ledger, LossReason } from './ledger.mjs' */

/** @type {Readonly<Partial<Record<LeaseShape, string>>>} what a driver answers to an open on such a lease */
const REFUSALS = {
  plugin_incomplete: TAG_MISSING_METADATA_FIELD,
  non_plugin: TAG_UNSUPPORTED_DRIVER_OPERATION,
};

/**
 * What becomes of a channel, by the command at its other end.
 *
 * @type {Readonly<Record<Command, { end: ChannelEnd, loss?: LossReason, isLeftOver?: boolean }>>}
 */
const FATES = {
  true: { end: 'closed' },
  false: { end: 'exit', loss: 'provider_exit' },
  crash: { end: 'transport_closed', loss: 'transport_closed', isLeftOver: true },
};

export class Book {
  #ledger;
  #environment;
  #provider;
  /** @type {LeaseShape[]} shapes of the leases that the run holds */
  #held = [];

  /**
   * @param {Ledger} ledger
   * @param {Environment} environment
   */
  constructor(ledger, environment) {
    this.#ledger = ledger;
    this.#environment = environment;
    this.#provider = providerOf(environment) ?? NONE;
  }

  /** @param {readonly string[]} [lost] fields that the lease lost after that */
  acquired(lost) {
    this.#acquire(this.#environment.driver === 'sandbox' ? 'created' : OK);
    this.#held.push(shapeOf(this.#environment, lost));
  }

  /**
   * A command, on the lease in use.
   *
   * @param {Kind['command']} [command]
   */
  executed(command) {
    this.#did('execute', this.#shape, command === SLEEP ? ERROR_TYPE_TIMEOUT : OK);
  }

  /**
   * A channel wanted.
   *
   * @param {Kind} kind
   */
  duplex({ work, request, reacquire }) {
    if (request) this.#ledger.add(requestRow(this.#provider, request));
    if (reacquire) this.#ledger.add(reacquireRow(this.#provider, reacquire));
    // Where the lease tells that an open would be refused, only those try who do not look.
    const isTried = request !== BY_DESIGN && (this.#shape === 'plugin_complete' || work !== 'duplex');
    if (isTried) this.#open();
    if (request === 'fallback' || request === BY_DESIGN) this.executed();
    if (reacquire === 'acquire_failed') this.#acquire(QUOTA_EXCEEDED);
    if (reacquire === 'succeeded' || reacquire === 'still_incomplete') {
      this.acquired();
      this.#open();
    }
  }

  /**
   * A channel that was opened, and what went over it.
   *
   * @param {Command} command
   * @param {string} input
   * @param {string} output nothing where the process ended instead
   */
  talked(command, input, output) {
    this.#ledger.add(channelRow(this.#provider, FATES[command].end));
    this.#ledger.add(bytesRow(this.#provider, 'transmit'), Buffer.byteLength(input));
    if (output !== '') this.#ledger.add(bytesRow(this.#provider, 'receive'), Buffer.byteLength(output));
  }

  /**
   * A request that Paperclip's bridge forwarded, and whether the channel outlived it.
   *
   * @param {Command} command
   */
  forwarded(command) {
    const { loss, isLeftOver } = FATES[command];
    this.#ledger.add(forwardRow(this.#provider, loss ? 'error' : 'ok'));
    if (loss) this.#ledger.add(lossRow(this.#provider, 'post_dispatch', loss));
    if (isLeftOver) this.#ledger.add(leakRow(this.#provider));
  }

  released() {
    this.#ledger.add(operationRow({ operation: 'release_run_leases', shape: 'absent', outcome: OK }));
    const outcome = this.#environment.config.keepsSandboxes ? ERROR_TYPE_LEASE_CLEANUP_FAILED : OK;
    for (const shape of this.#held) this.#did('release_run_lease', shape, outcome);
  }

  /** @returns {LeaseShape} that of the lease in use, which is the latest */
  get #shape() {
    return this.#held.at(-1) ?? 'absent';
  }

  /** @param {string} outcome */
  #acquire(outcome) {
    this.#did('acquire_run_lease', 'absent', outcome);
  }

  #open() {
    this.#did('open_duplex_channel', this.#shape, REFUSALS[this.#shape]);
  }

  /**
   * @param {OperationName} operation
   * @param {LeaseShape} shape
   * @param {string} [outcome]
   */
  #did(operation, shape, outcome = OK) {
    const { driver } = this.#environment;
    this.#ledger.add(operationRow({ operation, driver, provider: this.#provider, shape, outcome }));
  }
}

/**
 * @param {Environment} environment
 * @param {readonly string[]} [lost]
 * @returns {LeaseShape}
 */
function shapeOf({ driver, config }, lost = []) {
  if (driver !== 'sandbox' || lost.includes(PLUGIN_FLAG)) return 'non_plugin';
  return lost.length > 0 || config.isOutdated ? 'plugin_incomplete' : 'plugin_complete';
}
