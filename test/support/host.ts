/** A host like Paperclip: a runtime service over drivers, with the real messages. */

export const UNSUPPORTED = 'Sandbox driver does not support duplex channels for this lease.';
export const MISSING =
  'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.';

export const environment = {
  id: 'env-1',
  driver: 'sandbox',
  status: 'active',
  config: { provider: 'daytona' },
};

export const completeLease = {
  id: 'lease-1',
  companyId: 'company-1',
  environmentId: 'env-1',
  issueId: 'issue-1',
  heartbeatRunId: 'run-1',
  status: 'active',
  leasePolicy: 'ephemeral',
  providerLeaseId: 'provider-lease-1',
  acquiredAt: new Date('2026-11-30T12:00:00Z'),
  expiresAt: new Date('2026-11-30T13:00:00Z'),
  metadata: { sandboxProviderPlugin: true, pluginId: 'plugin-1', provider: 'daytona' },
};
export const nonPluginLease = { ...completeLease, metadata: {} };
export const incompleteLease = {
  ...completeLease,
  providerLeaseId: null,
  metadata: { sandboxProviderPlugin: true },
};

export interface LeaseInput {
  readonly environment: unknown;
  readonly lease: typeof completeLease | typeof nonPluginLease | typeof incompleteLease;
}

/** The input of an operation on a lease. */
export function on(lease: LeaseInput['lease'] = completeLease): LeaseInput {
  return { environment, lease };
}

export function makeDriver() {
  return {
    driver: 'sandbox',
    async acquireRunLease(_input: object) {
      return { ...completeLease, metadata: { sandboxLeaseAcquisition: { outcome: 'created' } } };
    },
    async releaseRunLease(input: LeaseInput & { status: string }) {
      return { ...input.lease, status: input.status };
    },
    async destroyRunLease(input: LeaseInput) {
      return { ...input.lease, status: 'failed' };
    },
    async execute(_input: LeaseInput) {
      return { exitCode: 3, timedOut: false, stdout: '', stderr: '' };
    },
    async openDuplexChannel({ lease }: LeaseInput) {
      const { sandboxProviderPlugin, pluginId, provider } = lease.metadata as Record<string, unknown>;
      if (!sandboxProviderPlugin) throw new Error(UNSUPPORTED);
      if (!pluginId || !provider || !lease.providerLeaseId) throw new Error(MISSING);
      return { write() {} };
    },
  };
}

export type HostDriver = ReturnType<typeof makeDriver>;

/** Like `environmentRuntimeService(db, options)`. */
export function makeService(_db: unknown = {}, options: { drivers?: object[] } = {}) {
  const drivers = new Map<string, HostDriver>();
  for (const driver of (options.drivers ?? [makeDriver()]) as HostDriver[])
    drivers.set(driver.driver, driver);
  const get = (key: string) => {
    const driver = drivers.get(key);
    if (driver === undefined) throw new Error(`Environment driver "${key}" is not registered`);
    return driver;
  };
  return {
    getDriver: (key: string) => drivers.get(key) ?? null,
    async acquireRunLease(input: { environment: { driver: string } }) {
      const lease = await get(input.environment.driver).acquireRunLease({ ...input });
      return { environment: input.environment, lease, leaseContext: {} };
    },
    async releaseRunLeases(_runId: string, status = 'released', leases: LeaseInput[] = []) {
      const released = [];
      for (const input of leases) {
        try {
          released.push(await get('sandbox').releaseRunLease({ ...input, status }));
        } catch {
          // As in Paperclip, the failure of one lease does not stop the others.
        }
      }
      return released;
    },
    async destroyRunLease(input: LeaseInput) {
      return await get('sandbox').destroyRunLease(input);
    },
    async execute(input: LeaseInput) {
      return await get('sandbox').execute(input);
    },
    async openDuplexChannel(input: LeaseInput) {
      return await get('sandbox').openDuplexChannel(input);
    },
  };
}
