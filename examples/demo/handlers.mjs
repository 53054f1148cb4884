// @ts-check
/** What the host does for each route, but for channels: takes leases, runs commands, gives leases back. */
import { ENVIRONMENTS } from './environments.mjs';

/** @import { createDuplexObservability } from './adapter-utils/duplex-observability.mjs' */
/** @import { Environment } from './environments.mjs' */
/** @import { Lease, LeaseStore } from './leases.mjs' */
/** @import { Runtime } from './runtime.mjs' */

/**
 * @typedef {object} Host
 * @property {Runtime} runtime
 * @property {LeaseStore} leases
 * @property {typeof createDuplexObservability} createDuplexObservability
 *
 * @typedef {{ id: string, body: Record<string, any> }} Call
 * @typedef {(host: Host, call: Call) => Promise<object>} Handler
 */

const COMPANY_ID = 'company-demo';

/** @type {Handler} */
export async function acquire({ runtime }, { body }) {
  const environment = ENVIRONMENTS.get(body.environment);
  if (!environment) throw new Error(`no environment "${body.environment}"`);
  const lease = await acquireFor(runtime, environment, body.run);
  for (const field of body.lost ?? []) lose(lease, field);
  return { lease: lease.id };
}

/** @type {Handler} */
export async function execute({ runtime, leases }, { id, body }) {
  return await runtime.execute({ ...subjectOf(leases, id), command: body.command });
}

/** @type {Handler} */
export async function release({ runtime }, { id }) {
  return { released: (await runtime.releaseRunLeases(id)).length };
}

/**
 * @param {Runtime} runtime
 * @param {Environment} environment
 * @param {string} run
 * @returns {Promise<Lease>}
 */
export async function acquireFor(runtime, environment, run) {
  const input = { environment, companyId: COMPANY_ID, heartbeatRunId: run };
  return (await runtime.acquireRunLease(input)).lease;
}

/**
 * @param {LeaseStore} leases
 * @param {string} id
 */
export function subjectOf(leases, id) {
  const lease = leases.get(id);
  const environment = lease && ENVIRONMENTS.get(lease.environmentId);
  if (!environment) throw new Error(`no lease "${id}"`);
  return { environment, lease };
}

/**
 * Makes a lease look as if an older release had stored it, which did not know this field.
 *
 * @param {Lease} lease
 * @param {string} field
 */
function lose(lease, field) {
  const [first = '', inMetadata] = field.split('.');
  if (inMetadata) Reflect.deleteProperty(lease.metadata, inMetadata);
  else Reflect.deleteProperty(lease, first);
}
