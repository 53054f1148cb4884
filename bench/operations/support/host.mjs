// @ts-check
/** Paperclip's side: a driver that does nothing, and what it is called with. */

export const UNSUPPORTED = 'Sandbox driver does not support duplex channels for this lease.';
export const MISSING =
  'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';
const MISSING_FOR_SYNC = 'Sandbox lease is missing plugin/provider metadata for native file sync.';

const RESULT = { exitCode: 0, signal: null, timedOut: false, stdout: '', stderr: '' };

const environment = {
  id: '0b6c1a52-7f5e-4c39-9c39-2f9f1f5f1c11',
  companyId: '5d0c41a8-6a3b-4a6e-8c43-52f4a4ad3b0e',
  name: 'Sandbox',
  driver: 'sandbox',
  status: 'active',
  config: { provider: 'daytona', image: 'paperclip/agent:latest', timeoutMs: 300_000 },
};

/** @typedef {ReturnType<typeof lease>} Lease */
/** @typedef {ReturnType<typeof onLease>} Input */
/** @typedef {ReturnType<typeof makeDriver>} Driver */

/**
 * @param {string} id
 * @param {Record<string, unknown>} [metadata] by default, that of a lease on which a channel can be opened
 */
export function lease(
  id,
  metadata = {
    driver: 'sandbox',
    sandboxProviderPlugin: true,
    pluginId: 'daytona-plugin',
    provider: 'daytona',
  },
) {
  const acquiredAt = Date.now();
  return {
    id,
    companyId: environment.companyId,
    environmentId: environment.id,
    executionWorkspaceId: `workspace-of-${id}`,
    issueId: `issue-of-${id}`,
    heartbeatRunId: `run-of-${id}`,
    status: 'active',
    leasePolicy: 'reuse_by_execution_workspace',
    provider: 'daytona',
    providerLeaseId: `sandbox-of-${id}`,
    acquiredAt: new Date(acquiredAt),
    expiresAt: new Date(acquiredAt + 3_600_000),
    metadata,
  };
}

/** A lease of which `openDuplexChannel` says that its driver cannot do that. */
export function builtInLease(/** @type {string} */ id) {
  return lease(id, { driver: 'sandbox', provider: 'daytona' });
}

/** A lease that lost its metadata. */
export function incompleteLease(/** @type {string} */ id) {
  return lease(id, { driver: 'sandbox', sandboxProviderPlugin: true });
}

/** The input of an operation on a lease. */
export function onLease(/** @type {Lease} */ on) {
  return { environment, lease: on, command: 'sh', args: ['-lc', 'true'], cwd: '/workspace', env: {} };
}

/** Settles at once: what is left is the cost of whatever is around it. */
export function makeDriver() {
  return {
    driver: 'sandbox',
    /** @param {Input} _input */
    async execute(_input) {
      return RESULT;
    },
    /** @param {Input} input */
    async syncIn({ lease: { metadata } }) {
      if (!metadata.pluginId) throw new Error(MISSING_FOR_SYNC);
    },
    /** @param {Input} input */
    async openDuplexChannel({ lease: { metadata } }) {
      if (!metadata.sandboxProviderPlugin) throw new Error(UNSUPPORTED);
      if (!metadata.pluginId) throw new Error(MISSING);
      return {};
    },
  };
}

/** Resolves once the call has failed, as the caller that handles it sees it. */
export async function failing(/** @type {Promise<unknown>} */ call) {
  try {
    await call;
  } catch {
    return;
  }
  throw new Error('a call that should fail did not');
}
