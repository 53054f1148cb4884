// @ts-check
/**
 * An environment runtime in this process, with the shape of Paperclip's `environmentRuntimeService`: a plain
 * object whose methods look the driver up and call it. In a real server, this is the part that Paperclip has
 * and you do not write.
 */

/** @import { AcquireInput, Driver, DuplexInput, ExecuteInput } from './drivers.mjs' */
/** @import { Environment } from './environments.mjs' */
/** @import { Lease, LeaseStore } from './leases.mjs' */

/** @typedef {ReturnType<typeof environmentRuntimeService>} Runtime */

/**
 * @param {LeaseStore} db
 * @param {{ drivers: readonly Driver[], environments: ReadonlyMap<string, Environment> }} options
 */
export function environmentRuntimeService(db, options) {
  const drivers = new Map(options.drivers.map((driver) => [driver.driver, driver]));

  /** @param {Environment['driver']} key */
  function getDriver(key) {
    return drivers.get(key) ?? null;
  }

  /** @param {Environment} environment */
  function requireDriver({ driver: key }) {
    const driver = getDriver(key);
    if (!driver) {
      throw new Error(`Environment driver "${key}" is not registered in the environment runtime yet.`);
    }
    return driver;
  }

  return {
    getDriver,
    /** @param {AcquireInput} input */
    async acquireRunLease(input) {
      const lease = await requireDriver(input.environment).acquireRunLease(input);
      return { environment: input.environment, lease };
    },
    /** @param {string} heartbeatRunId */
    async releaseRunLeases(heartbeatRunId, status = 'released') {
      /** @type {{ environment: Environment, lease: Lease }[]} */
      const released = [];
      for (const lease of db.ofRun(heartbeatRunId)) {
        const environment = options.environments.get(lease.environmentId);
        if (!environment) continue;
        const ended = await requireDriver(environment).releaseRunLease({ environment, lease, status });
        released.push({ environment, lease: ended });
      }
      return released;
    },
    /** @param {ExecuteInput} input */
    async execute(input) {
      const driver = requireDriver(input.environment);
      if (!driver.execute) {
        throw new Error(`Environment driver "${driver.driver}" does not support command execution.`);
      }
      return await driver.execute(input);
    },
    // Paperclip's service also asks whether the lease grants the capability. Here every lease does, so that
    // the driver's own refusals are seen.
    /** @param {DuplexInput} input */
    async openDuplexChannel(input) {
      const driver = requireDriver(input.environment);
      if (!driver.openDuplexChannel) {
        throw new Error(`Environment driver "${driver.driver}" does not support duplex channels.`);
      }
      return await driver.openDuplexChannel(input);
    },
  };
}
