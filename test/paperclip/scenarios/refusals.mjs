/** A duplex channel that is refused: by the real driver, by the real service, by the worker. */
import { database, pluginRow, sandboxEnvironment, sandboxLease, workerManager } from '../host/stage.mjs';
import { ownErrors } from '../host/watch.mjs';

/** An operation while there is no SDK. Nobody hears of it, but those after the SDK has started must be heard. */
export function early({ environmentRuntimeService }) {
  const driver = environmentRuntimeService({}).getDriver('sandbox');
  return driver.openDuplexChannel({
    environment: sandboxEnvironment(),
    lease: sandboxLease(),
    command: ['x'],
  });
}

export function prepare({ environmentRuntimeService }) {
  const environment = sandboxEnvironment();
  const command = ['agent'];
  const without = environmentRuntimeService({}, { pluginWorkerManager: { getWorker: () => null } });
  const driver = without.getDriver('sandbox');

  const frozen = Object.freeze(new Error('the provider is out of capacity'));
  ownErrors.push(frozen);
  const throwing = environmentRuntimeService(database({ plugins: [pluginRow()] }), {
    pluginWorkerManager: workerManager({
      duplexChannelOpen: () => {
        throw frozen;
      },
    }),
  });

  // The leases of paperclip.md: just enough of one that the driver gets to the error.
  const bare = { id: 'lease-1', companyId: 'company-1' };
  const nonPlugin = { ...bare, metadata: {} };
  const incomplete = { ...bare, metadata: { sandboxProviderPlugin: true } };
  return {
    'driver: lease of no plug-in': () => driver.openDuplexChannel({ environment, lease: nonPlugin, command }),
    'driver: incomplete lease': () => driver.openDuplexChannel({ environment, lease: incomplete, command }),
    'driver: lease without the provider lease id': () =>
      driver.openDuplexChannel({ environment, lease: sandboxLease({ providerLeaseId: null }), command }),
    'service: lease of no plug-in': () =>
      without.openDuplexChannel({ environment, lease: nonPlugin, command }),
    'driver: frozen error of the worker': () =>
      throwing.getDriver('sandbox').openDuplexChannel({ environment, lease: sandboxLease(), command }),
    'service: frozen error of the worker': () =>
      throwing.openDuplexChannel({ environment, lease: sandboxLease(), command }),
  };
}
