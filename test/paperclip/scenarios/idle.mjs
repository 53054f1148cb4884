/** A refused duplex channel in a process with short windows: a recovery takes longer than one, and none comes at all. */
import { setTimeout as sleep } from 'node:timers/promises';
import { plainAnswers, plainInputs } from '../host/operations.mjs';
import {
  converse,
  database,
  echoSession,
  pluginRow,
  sandboxEnvironment,
  sandboxLease,
  workerManager,
} from '../host/stage.mjs';

export function prepare({ environmentRuntimeService }) {
  const service = environmentRuntimeService(database({ plugins: [pluginRow()] }), {
    pluginWorkerManager: workerManager({
      ...plainAnswers,
      duplexChannelOpen: echoSession,
      environmentAcquireLease: async () => {
        // Several times the window of a fallback in this process.
        await sleep(100);
        return plainAnswers.environmentAcquireLease;
      },
    }),
  });
  const driver = service.getDriver('sandbox');
  const environment = sandboxEnvironment();
  const lease = sandboxLease({ providerLeaseId: null });
  const slow = sandboxLease({ id: 'lease-slow', providerLeaseId: null, issueId: 'issue-slow' });
  return {
    'a fresh lease takes longer than a fallback may': async () => {
      await driver.openDuplexChannel({ environment, lease: slow, ...plainInputs.channel }).catch(() => {});
      const { companyId, issueId } = slow;
      const owner = { companyId, issueId, heartbeatRunId: 'run-slow', persistedExecutionWorkspace: null };
      const input = { ...owner, ...plainInputs.acquire, environment };
      const { lease: fresh } = await service.acquireRunLease(input);
      const opened = await driver.openDuplexChannel({ environment, lease: fresh, ...plainInputs.channel });
      return await converse(opened);
    },
    'nobody recovers': async () => {
      await driver.openDuplexChannel({ environment, lease, ...plainInputs.channel }).catch(() => {});
      // Longer than both windows of this process together.
      await sleep(2_200);
    },
  };
}
