/**
 * What a lease carries of that which a duplex channel needs, read the way Paperclip's sandbox driver
 * reads it (`openDuplexChannel` in `environment-runtime.js`): the plug-in flag counts when it is truthy,
 * a string counts when it is not empty.
 */
import { readString } from '../base/values.js';
import { LEASE_IDENTITY_FIELDS, type LeaseIdentityField, type LeaseShape } from '../semconv.js';

/** The part of a Paperclip lease that decides whether a duplex channel can be opened on it. */
export interface LeaseLike {
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly providerLeaseId?: unknown;
}

/** A lease's shape, and what it lacks where the shape is `plugin_incomplete`. */
export interface LeaseShapeDescription {
  readonly shape: LeaseShape;
  readonly missingFields: readonly LeaseIdentityField[];
}

const ABSENT: LeaseShapeDescription = { shape: 'absent', missingFields: [] };
const NON_PLUGIN: LeaseShapeDescription = { shape: 'non_plugin', missingFields: [] };
const PLUGIN_COMPLETE: LeaseShapeDescription = { shape: 'plugin_complete', missingFields: [] };

/**
 * Says whether the lease is one of a sandbox provider plug-in, the only kind on which the sandbox driver
 * opens duplex channels. (The driver also needs a plug-in worker manager, which a lease does not show.)
 *
 * @param lease a lease, or nothing
 * @returns whether `metadata.sandboxProviderPlugin` is truthy
 * @throws only what reading the lease throws
 */
export function supportsPluginDuplexChannel(lease: LeaseLike | null | undefined): boolean {
  return Boolean(lease?.metadata?.sandboxProviderPlugin);
}

/**
 * Says whether the lease names the plug-in worker and the provider's session that a duplex channel is
 * opened on.
 *
 * @param lease a lease, or nothing
 * @returns whether `metadata.pluginId`, `metadata.provider` and `providerLeaseId` are non-empty strings
 * @throws only what reading the lease throws
 */
export function hasDuplexLeaseIdentity(lease: LeaseLike | null | undefined): boolean {
  return missingIdentityFields(lease).length === 0;
}

/**
 * Describes a lease's shape; `docs/semantic-conventions.md`, section 3.
 *
 * @param lease a lease, or nothing
 * @returns the shape, and for `plugin_incomplete` the fields that are missing
 * @throws only what reading the lease throws
 */
export function describeLeaseShape(lease: LeaseLike | null | undefined): LeaseShapeDescription {
  if (lease === null || typeof lease !== 'object') return ABSENT;
  if (!supportsPluginDuplexChannel(lease)) return NON_PLUGIN;
  const missingFields = missingIdentityFields(lease);
  return missingFields.length === 0 ? PLUGIN_COMPLETE : { shape: 'plugin_incomplete', missingFields };
}

const NONE: readonly LeaseIdentityField[] = [];

function missingIdentityFields(lease: LeaseLike | null | undefined): readonly LeaseIdentityField[] {
  const metadata = lease?.metadata;
  const pluginId = readString(metadata?.pluginId);
  const provider = readString(metadata?.provider);
  const providerLeaseId = readString(lease?.providerLeaseId);
  if (pluginId !== undefined && provider !== undefined && providerLeaseId !== undefined) return NONE;
  const found: Record<LeaseIdentityField, string | undefined> = {
    'metadata.pluginId': pluginId,
    'metadata.provider': provider,
    providerLeaseId,
  };
  return LEASE_IDENTITY_FIELDS.filter((field) => found[field] === undefined);
}
