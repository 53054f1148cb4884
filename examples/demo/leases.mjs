// @ts-check
/** The leases that are held, in the place of Paperclip's database. */
import { inventory } from './inventory.mjs';

/**
 * @typedef {object} Lease
 * @property {string} id
 * @property {string} companyId
 * @property {string} environmentId
 * @property {string} heartbeatRunId
 * @property {string} status
 * @property {'success' | 'failed'} [cleanupStatus] whether the provider gave the sandbox up
 * @property {string} leasePolicy
 * @property {string} provider
 * @property {string} [providerLeaseId]
 * @property {Date} acquiredAt
 * @property {Date} expiresAt
 * @property {Record<string, unknown>} metadata
 */

/**
 * What a driver says of a lease that it acquires.
 *
 * @typedef {Pick<Lease, 'companyId' | 'environmentId' | 'heartbeatRunId' | 'provider' | 'metadata'> &
 *   Partial<Pick<Lease, 'providerLeaseId'>>} LeaseFields
 */

const LIFETIME_MS = 30 * 60_000;

export class LeaseStore {
  /** @type {Map<string, Lease>} */
  #active = new Map();
  /** @type {Lease[]} */
  #waiting = [];
  #acquired = 0;

  /**
   * @param {LeaseFields} fields
   * @returns {Lease}
   */
  acquire(fields) {
    const acquiredAt = new Date();
    this.#acquired += 1;
    const lease = {
      id: `lease-${this.#acquired}`,
      status: 'active',
      leasePolicy: 'ephemeral',
      acquiredAt,
      expiresAt: new Date(acquiredAt.getTime() + LIFETIME_MS),
      ...fields,
    };
    this.#active.set(lease.id, lease);
    return lease;
  }

  /**
   * @param {Lease} lease
   * @param {string} status
   * @param {boolean} [isKept] whether the provider failed to give the sandbox up
   * @returns {Lease} the lease as it ended, or as it waits for another teardown
   */
  release(lease, status, isKept = false) {
    this.#active.delete(lease.id);
    if (isKept) {
      /** @type {Lease} */
      const kept = { ...lease, status: 'pending_cleanup', cleanupStatus: 'failed' };
      this.#waiting.push(kept);
      return kept;
    }
    return { ...lease, status, cleanupStatus: 'success' };
  }

  /** Answers the one query that it is ever asked: three settings come first, each with a result of its own. */
  async execute() {
    return [[], [], [], inventory([...this.#active.values()], this.#waiting)];
  }

  /**
   * @param {string} id
   * @returns {Lease | undefined}
   */
  get(id) {
    return this.#active.get(id);
  }

  /**
   * @param {string} heartbeatRunId
   * @returns {Lease[]}
   */
  ofRun(heartbeatRunId) {
    return [...this.#active.values()].filter((lease) => lease.heartbeatRunId === heartbeatRunId);
  }
}
