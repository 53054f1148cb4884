// @ts-check
/** What a database would answer when it is asked which leases are not over. */
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';

/** @import { Lease } from './leases.mjs' */

/** @typedef {Pick<Lease, 'status' | 'leasePolicy' | 'provider' | 'acquiredAt'> & { run: 'live' | 'ended' }} Held */

const HOUR_MS = 3_600_000;

/**
 * Leases from before the demo began: one that is kept for its next run, and one that its server has forgotten.
 *
 * @type {readonly Held[]}
 */
const LEFT = [
  { status: 'retained', leasePolicy: 'reuse_by_execution_workspace', provider: 'daytona', ...ago(30) },
  { status: 'active', leasePolicy: 'ephemeral', provider: 'e2b', ...ago(3) },
];

/** @param {number} hours @returns {Pick<Held, 'acquiredAt' | 'run'>} */
function ago(hours) {
  return { acquiredAt: new Date(Date.now() - hours * HOUR_MS), run: 'ended' };
}

/**
 * One row for each kind of lease, with the columns of the query.
 *
 * @param {readonly Lease[]} active
 * @param {readonly Lease[]} waiting
 */
export function inventory(active, waiting) {
  /** @type {Map<string, Record<string, string | number>>} */
  const rows = new Map();
  for (const lease of [
    ...LEFT,
    ...active.map((lease) => ({ ...lease, run: 'live' })),
    ...waiting.map((lease) => ({ ...lease, run: 'ended' })),
  ]) {
    const columns = columnsOf(lease);
    const key = JSON.stringify(columns);
    const { held, oldest } = rows.get(key) ?? { held: 0, oldest: 0 };
    const age = (Date.now() - lease.acquiredAt.getTime()) / 1000;
    rows.set(key, { ...columns, held: Number(held) + 1, oldest: Math.max(Number(oldest), age) });
  }
  return [...rows.values()];
}

/** @param {Pick<Lease, 'status' | 'leasePolicy' | 'provider'> & { run: string }} lease */
function columnsOf({ status, leasePolicy, provider, run }) {
  /** @type {readonly string[]} */
  const known = semconv.PROVIDERS;
  const hasProvider = !(
    /** @type {readonly string[]} */ (semconv.DRIVERS_WITHOUT_PROVIDER).includes(provider)
  );
  const driver = provider.startsWith('plugin:') ? 'plugin' : 'sandbox';
  return {
    [column(semconv.ATTR_PAPERCLIP_LEASE_STATUS)]: status,
    [column(semconv.ATTR_PAPERCLIP_LEASE_POLICY)]: leasePolicy,
    [column(semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER)]: hasProvider ? driver : provider,
    [column(semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER)]: known.includes(provider)
      ? provider
      : hasProvider
        ? semconv.VALUE_OTHER
        : '',
    [column(semconv.ATTR_PAPERCLIP_LEASE_RUN)]: run,
  };
}

/** @param {string} attribute */
function column(attribute) {
  return attribute.replaceAll('.', '_');
}
