/**
 * A duplex channel that is refused because the lease lacks metadata, a lease that is acquired anew, and the
 * channel once more: all by the real service and its real sandbox driver.
 */
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
import { ownErrors } from '../host/watch.mjs';

export function prepare({ environmentRuntimeService }) {
  const error = new RangeError('the worker ran out of something');
  ownErrors.push(error);
  const fail = () => {
    throw error;
  };
  const { channel: opened, execute } = plainInputs;
  let stages = 0;
  const stageOf = (answers = {}) => {
    stages += 1;
    // Of its own, so that no acquire belongs to the failure of another step.
    const environment = sandboxEnvironment({ id: `environment-1#${stages}` });
    const lease = sandboxLease({
      id: `lease-1#${stages}`,
      environmentId: environment.id,
      providerLeaseId: null,
    });
    const service = environmentRuntimeService(database({ plugins: [pluginRow()] }), {
      pluginWorkerManager: workerManager({ ...plainAnswers, duplexChannelOpen: echoSession, ...answers }),
    });
    const driver = service.getDriver('sandbox');
    return {
      lease,
      open: (of) => driver.openDuplexChannel({ environment, lease: of, ...opened }),
      execute: (of) => driver.execute({ environment, lease: of, ...execute }),
      async acquire(owner = {}) {
        const { companyId, issueId, heartbeatRunId } = { ...lease, ...owner };
        const input = { companyId, issueId, heartbeatRunId, persistedExecutionWorkspace: null };
        const acquired = await service.acquireRunLease({ ...input, ...plainInputs.acquire, environment });
        return acquired.lease;
      },
    };
  };

  const whole = stageOf();
  const nextRun = stageOf();
  const stranger = stageOf();
  const incomplete = stageOf({
    environmentAcquireLease: { ...plainAnswers.environmentAcquireLease, providerLeaseId: null },
  });
  const without = stageOf({ environmentAcquireLease: fail });
  const busy = stageOf({ duplexChannelOpen: fail });
  return {
    'a fresh lease is complete': async () => [
      await messageOf(whole.open(whole.lease)),
      await converse(await whole.open(await whole.acquire())),
    ],
    'the next run of the issue acquires': async () => [
      await messageOf(nextRun.open(nextRun.lease)),
      await converse(await nextRun.open(await nextRun.acquire({ heartbeatRunId: 'run-2' }))),
    ],
    'somebody else acquires': async () => [
      await messageOf(stranger.open(stranger.lease)),
      await converse(
        await stranger.open(await stranger.acquire({ heartbeatRunId: 'run-2', issueId: 'issue-2' })),
      ),
    ],
    'a fresh lease is incomplete as well, and the work is done by execute': async () => {
      const first = await messageOf(incomplete.open(incomplete.lease));
      const fresh = await incomplete.acquire();
      const second = await messageOf(incomplete.open(fresh));
      const { stdout } = await incomplete.execute(fresh);
      return [first, second, stdout];
    },
    'no fresh lease is to be had': async () => [
      await messageOf(without.open(without.lease)),
      await messageOf(without.acquire()),
    ],
    'the worker refuses on the fresh lease': async () => [
      await messageOf(busy.open(busy.lease)),
      await messageOf(busy.open(await busy.acquire())),
    ],
  };
}

async function messageOf(promise) {
  try {
    await promise;
    return 'no error';
  } catch (error) {
    return error.message;
  }
}
