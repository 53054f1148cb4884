/** Leases: one folder each, whose name is the provider's lease id. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/**
 * The config of each lease that this worker has seen: a duplex channel is asked for with the lease's id alone.
 *
 * @type {Map<string, Record<string, unknown>>}
 */
const configs = new Map();

/** Makes a lease and returns what the host is told about it. */
export async function makeLease(config) {
  const folder = await mkdtemp(join(folderOfLeases(config), 'lease-'));
  await mkdir(join(folder, 'workspace'));
  return leaseIn(folder, config);
}

/** The lease of that id as it is now, or one without an id where it is gone. */
export function findLease(providerLeaseId, config) {
  const folder = folderOf(providerLeaseId, config);
  if (!existsSync(folder)) return { providerLeaseId: null, metadata: { expired: true } };
  return leaseIn(folder, config);
}

/** The provider's id of the lease that a call is about: where Paperclip has none, the folder tells it. */
export function idOf({ providerLeaseId, leaseMetadata, lease }) {
  const { remoteCwd } = lease?.metadata ?? leaseMetadata ?? {};
  return providerLeaseId || lease?.providerLeaseId || (remoteCwd ? basename(dirname(remoteCwd)) : null);
}

/** Removes what is left of a lease. */
export async function removeLease(providerLeaseId, config) {
  configs.delete(providerLeaseId);
  await rm(folderOf(providerLeaseId, config), { recursive: true, force: true });
}

/** The folder in which commands on the lease run. */
export function workspaceOf(providerLeaseId, config = configs.get(providerLeaseId)) {
  const folder = config && folderOf(providerLeaseId, config);
  if (!folder || !existsSync(folder)) throw new Error(`No such lease: ${providerLeaseId}`);
  configs.set(providerLeaseId, config);
  return join(folder, 'workspace');
}

/** The config that the lease was last used with, as far as this worker knows. */
export function configOf(providerLeaseId) {
  return configs.get(providerLeaseId) ?? {};
}

function leaseIn(folder, config) {
  const providerLeaseId = basename(folder);
  return { providerLeaseId, metadata: { remoteCwd: workspaceOf(providerLeaseId, config) } };
}

function folderOf(providerLeaseId, config) {
  if (!/^lease-\w+$/.test(providerLeaseId)) throw new Error(`Not the id of a lease: ${providerLeaseId}`);
  return join(folderOfLeases(config), providerLeaseId);
}

function folderOfLeases({ folder = tmpdir() }) {
  return folder;
}
