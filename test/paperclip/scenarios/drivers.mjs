/** Which methods the drivers have, and how drivers are found. */
import { plainInputs } from '../host/operations.mjs';
import { database, sandboxEnvironment, sandboxLease, workerManager } from '../host/stage.mjs';

export function prepare({ environmentRuntimeService }) {
  const service = environmentRuntimeService({}, { pluginWorkerManager: workerManager() });
  const listed = ownDriver('ssh');
  const withListed = environmentRuntimeService({}, { drivers: [listed] });
  // A driver that is no array's member and has a key of its own is met nowhere but in getDriver.
  const unlisted = ownDriver('acme-machines');
  const withUnlisted = environmentRuntimeService({}, { drivers: new Set([unlisted]) });
  const onThisMachine = sandboxEnvironment({ driver: 'local', config: {} });
  // As the local driver writes it.
  const local = {
    ...sandboxLease(),
    provider: 'local',
    providerLeaseId: null,
    metadata: { driver: 'local' },
  };
  const withLocal = environmentRuntimeService(database({ environment_leases: [{ ...local }] }));
  return {
    'local acquire': () =>
      withLocal.getDriver('local').acquireRunLease({
        companyId: 'company-1',
        ...plainInputs.acquire,
        environment: onThisMachine,
      }),
    'local release': () =>
      withLocal
        .getDriver('local')
        .releaseRunLease({ environment: onThisMachine, lease: local, status: 'released' }),
    'methods of each driver': () =>
      Object.fromEntries(
        ['local', 'ssh', 'sandbox', 'plugin', 'none'].map((key) => {
          const driver = service.getDriver(key);
          return [key, driver && Object.keys(driver).filter((name) => typeof driver[name] === 'function')];
        }),
      ),
    'missing method of the local driver': () => service.getDriver('local').execute(inputFor('local')),
    'missing method of the ssh driver': () => service.getDriver('ssh').openDuplexChannel(inputFor('ssh')),
    'driver in options.drivers, through the service': () => withListed.execute(inputFor('ssh')),
    'driver in options.drivers, itself': () => listed.execute(inputFor('ssh')),
    'driver of its own key, through the service': () => withUnlisted.execute(inputFor('acme-machines')),
    'driver of its own key, from getDriver': () =>
      withUnlisted.getDriver('acme-machines').execute(inputFor('acme-machines')),
    'identity of drivers': () => ({
      listed: withListed.getDriver('ssh') === listed,
      unlisted: withUnlisted.getDriver('acme-machines') === unlisted,
      repeated: new Set(['sandbox', 'sandbox'].map(service.getDriver)).size === 1,
    }),
  };
}

/** A driver of the host's own that has one method. */
function ownDriver(driver) {
  return {
    driver,
    async execute({ command }) {
      return { ran: command, on: this.driver, exitCode: 0 };
    },
  };
}

function inputFor(driver) {
  return {
    environment: sandboxEnvironment({ driver }),
    lease: sandboxLease({ metadata: { driver, sandboxProviderPlugin: false } }),
    ...plainInputs.execute,
  };
}
