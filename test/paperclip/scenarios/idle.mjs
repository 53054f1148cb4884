/** A refused duplex channel that nobody recovers from: its windows pass while the host does nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { plainInputs } from '../host/operations.mjs';
import { database, pluginRow, sandboxEnvironment, sandboxLease, workerManager } from '../host/stage.mjs';

export function prepare({ environmentRuntimeService }) {
  const service = environmentRuntimeService(database({ plugins: [pluginRow()] }), {
    pluginWorkerManager: workerManager(),
  });
  const driver = service.getDriver('sandbox');
  const environment = sandboxEnvironment();
  const lease = sandboxLease({ providerLeaseId: null });
  return {
    'nobody recovers': async () => {
      await driver.openDuplexChannel({ environment, lease, ...plainInputs.channel }).catch(() => {});
      // Longer than both windows are in this process.
      await sleep(50);
    },
  };
}
