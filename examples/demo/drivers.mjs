// @ts-check
/**
 * The four environment drivers of the runtime, with the methods that Paperclip's drivers have and the errors
 * that they throw. What they drive is made up: each method waits for a moment and succeeds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createChannel } from './duplex-channel.mjs';
import { SLEEP } from './kinds.mjs';

/** @import { DuplexChannel } from './duplex-channel.mjs' */
/** @import { Environment } from './environments.mjs' */
/** @import { Lease, LeaseFields, LeaseStore } from './leases.mjs' */

/**
 * @typedef {{ environment: Environment, companyId: string, heartbeatRunId: string }} AcquireInput
 * @typedef {{ environment: Environment, lease: Lease, status: string }} ReleaseInput
 * @typedef {{ environment: Environment, lease: Lease, command: string }} ExecuteInput
 * @typedef {{ environment: Environment, lease: Lease, command: string[] }} DuplexInput
 * @typedef {{ exitCode: number | null, timedOut: boolean }} ExecuteResult
 */

/**
 * @typedef {object} Driver
 * @property {Environment['driver']} driver
 * @property {(input: AcquireInput) => Promise<Lease>} acquireRunLease
 * @property {(input: ReleaseInput) => Promise<Lease>} releaseRunLease
 * @property {(input: ExecuteInput) => Promise<ExecuteResult>} [execute]
 * @property {(input: DuplexInput) => Promise<DuplexChannel>} [openDuplexChannel]
 */

/** `code` of the error of a provider that grants no more leases. */
export const QUOTA_EXCEEDED = 'QUOTA_EXCEEDED';

/**
 * @param {LeaseStore} db
 * @param {() => number} random where the latencies come from
 * @returns {Driver[]}
 */
export function createDrivers(db, random) {
  /** Mostly short, sometimes long. @type {Pause} */
  const pause = async (shortest, longest) => {
    await sleep(shortest + (longest - shortest) * random() ** 3);
  };
  return [
    createHostDriver('local', db, pause),
    createHostDriver('ssh', db, pause),
    createSandboxDriver(db, pause),
    createPluginDriver(db, pause),
  ];
}

/** @typedef {(shortestMs: number, longestMs: number) => Promise<void>} Pause */

/**
 * On a machine that is there already, Paperclip runs commands itself: the driver only keeps the lease.
 *
 * @param {'local' | 'ssh'} driver
 * @param {LeaseStore} db
 * @param {Pause} pause
 * @returns {Driver}
 */
function createHostDriver(driver, db, pause) {
  return {
    driver,
    async acquireRunLease(input) {
      await pause(1, 15);
      return db.acquire({ ...leaseFields(input), provider: driver });
    },
    async releaseRunLease(input) {
      await pause(1, 5);
      return db.release(input.lease, input.status);
    },
  };
}

/**
 * @param {LeaseStore} db
 * @param {Pause} pause
 * @returns {Driver}
 */
function createSandboxDriver(db, pause) {
  return {
    driver: 'sandbox',
    async acquireRunLease(input) {
      const { provider = 'none', leasesPerRun = 10, isOutdated } = input.environment.config;
      await pause(30, 240);
      if (db.ofRun(input.heartbeatRunId).length >= leasesPerRun) {
        throw Object.assign(new Error('The provider grants no more leases.'), { code: QUOTA_EXCEEDED });
      }
      const { metadata, ...fields } = leaseFields(input);
      return db.acquire({
        ...fields,
        provider,
        ...(!isOutdated && { providerLeaseId: `${provider}-session` }),
        metadata: {
          ...metadata,
          pluginId: `plugin-${provider}`,
          sandboxProviderPlugin: true,
          provider,
          sandboxLeaseAcquisition: { outcome: 'created' },
        },
      });
    },
    async releaseRunLease(input) {
      await pause(5, 40);
      return db.release(input.lease, input.status, input.environment.config.keepsSandboxes);
    },
    // Paperclip's driver runs a command only where the lease names a plug-in. This one always does, so that a
    // refused channel can be followed by the fallback that its callers hope for.
    async execute(input) {
      await pause(15, 150);
      return resultOf(input);
    },
    async openDuplexChannel({ lease, command }) {
      const { sandboxProviderPlugin, pluginId, provider } = lease.metadata;
      if (!sandboxProviderPlugin) {
        throw new Error('Sandbox driver does not support duplex channels for this lease.');
      }
      if (!pluginId || !provider || !lease.providerLeaseId) {
        throw new Error(
          'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.',
        );
      }
      await pause(8, 60);
      return createChannel(command, pause);
    },
  };
}

/**
 * A whole environment as a plug-in. Paperclip's has no duplex channels, so this one lacks the method, too.
 *
 * @param {LeaseStore} db
 * @param {Pause} pause
 * @returns {Driver}
 */
function createPluginDriver(db, pause) {
  return {
    driver: 'plugin',
    async acquireRunLease(input) {
      const { pluginKey, driverKey } = input.environment.config;
      await pause(20, 120);
      return db.acquire({
        ...leaseFields(input),
        provider: `plugin:${pluginKey}:${driverKey}`,
        providerLeaseId: `${driverKey}-session`,
      });
    },
    async releaseRunLease(input) {
      await pause(5, 40);
      return db.release(input.lease, input.status);
    },
    async execute(input) {
      await pause(15, 150);
      return resultOf(input);
    },
  };
}

/**
 * @param {AcquireInput} input
 * @returns {Omit<LeaseFields, 'provider'>}
 */
function leaseFields({ environment, companyId, heartbeatRunId }) {
  return {
    companyId,
    environmentId: environment.id,
    heartbeatRunId,
    metadata: { driver: environment.driver },
  };
}

/**
 * @param {ExecuteInput} input
 * @returns {ExecuteResult}
 */
function resultOf({ command }) {
  if (command === SLEEP) return { exitCode: null, timedOut: true };
  return { exitCode: command === 'false' ? 1 : 0, timedOut: false };
}
