/** The ways in which the provider goes wrong when its environment's config asks for it. */
import { setTimeout as delay } from 'node:timers/promises';

/** The hooks that can go wrong, by the name that Paperclip calls them by. */
export const HOOKS = [
  'environmentAcquireLease',
  'environmentResumeLease',
  'environmentReleaseLease',
  'environmentDestroyLease',
  'environmentRealizeWorkspace',
  'environmentExecute',
  'duplexChannelOpen',
];

/**
 * - `drop-metadata`: the lease that is handed out lacks the plug-in's id, the provider's key and the provider's
 *   lease id.
 * - `drop-id`: it lacks the provider's lease id alone, which the plug-in itself can tell from the folder.
 * - `tarry`: the call is served, but only after half a second.
 * - `refuse`: the call fails.
 * - `quote`: the call fails with what an agent printed, which is a message of Paperclip's own driver.
 * - `stall`: the call is never answered.
 * - `die`: the worker ends in the middle of the call.
 */
export const MANNERS = ['drop-metadata', 'drop-id', 'tarry', 'refuse', 'quote', 'stall', 'die'];

/** What Paperclip throws where a lease lacks a field. */
const MISSING =
  'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';

/**
 * Goes wrong before the hook does its work, if that is what is asked for.
 *
 * @param {string} hook the hook that was called
 * @param {Record<string, unknown>} config the environment's config
 */
export async function misbehave(hook, { misbehave: manners = {} }) {
  switch (manners[hook]) {
    case 'tarry':
      return delay(500);
    case 'refuse':
      throw new Error(`Refused as the environment asks: ${hook}`);
    case 'quote':
      throw new Error(`command failed: ${MISSING}`);
    case 'stall':
      return new Promise(() => {});
    case 'die':
      process.exit(1);
  }
}

/**
 * The lease as the host gets it. Paperclip adds the ids of plug-in and provider to the metadata, and what the
 * provider says of the same names wins.
 *
 * @param {string} hook the hook that was called
 * @param {Record<string, unknown>} config the environment's config
 * @param {import('@paperclipai/plugin-sdk').PluginEnvironmentLease} lease the lease as it is
 */
export function handedOut(hook, { misbehave: manners = {} }, lease) {
  const { metadata } = lease;
  switch (manners[hook]) {
    case 'drop-metadata':
      return { ...lease, providerLeaseId: '', metadata: { ...metadata, pluginId: null, provider: null } };
    case 'drop-id':
      return { ...lease, providerLeaseId: '' };
    default:
      return lease;
  }
}
