/** One call of every lease operation that the real service, its sandbox driver and its plug-in driver have. */

/** What the calls pass, besides environment and lease. */
export const plainInputs = {
  acquire: { agentId: 'agent-1', adapterType: 'acme' },
  execute: { command: 'agent', args: ['--once'], env: { MODE: 'test' }, stdin: 'hello', cwd: '/workspace' },
  channel: { command: ['agent', '--serve'] },
  sync: { operations: [{ kind: 'upload', localPath: '/local', remotePath: '/remote' }] },
  workspace: { localPath: '/local', remotePath: '/remote', mode: 'isolated', metadata: {} },
  ingress: { port: 8080, path: '/runner' },
};

/** What a worker answers where everything works; for the channel, `duplexChannelOpen` is to be added. */
export const plainAnswers = {
  environmentAcquireLease: { providerLeaseId: 'provider-lease-2', metadata: { remoteCwd: '/workspace' } },
  environmentReleaseLease: null,
  environmentResumeLease: { providerLeaseId: 'provider-lease-1' },
  environmentDestroyLease: null,
  environmentRealizeWorkspace: { cwd: '/workspace' },
  environmentExecute: { exitCode: 3, timedOut: false, stdout: 'out', stderr: 'err' },
  environmentSyncIn: { results: [] },
  environmentSyncOut: { results: [] },
  environmentRunnerIngressEndpoint: {
    kind: 'authenticated_websocket',
    websocketUrl: 'wss://sandbox.invalid/runner',
    secretHeaders: [{ name: 'authorization', value: 'Bearer token' }],
    generation: 'generation-1',
  },
};

/** A worker that throws the same error whatever it is asked. */
export function failingAnswers(answers, error) {
  const fail = () => {
    throw error;
  };
  return Object.fromEntries(Object.keys(answers).map((method) => [method, fail]));
}

/**
 * The calls of a sandbox lease, each on a stage of its own, so that none finds what another left in the
 * database.
 *
 * @param newStage makes a service, and the environment and lease to call it with
 * @param inputs what else the calls pass
 */
export function sandboxCalls(newStage, inputs) {
  return callsOn(newStage, 'sandbox', inputs, {
    realizeWorkspace: { workspace: inputs.workspace },
    execute: inputs.execute,
    syncIn: inputs.sync,
    syncOut: inputs.sync,
    openDuplexChannel: inputs.channel,
    getRunnerIngressEndpoint: inputs.ingress,
    retryPendingSandboxTeardown: {},
    destroyRunLease: {},
  });
}

/** The calls of a lease of the plug-in driver. */
export function pluginCalls(newStage, inputs) {
  return callsOn(newStage, 'plugin', inputs, {
    realizeWorkspace: { workspace: inputs.workspace },
    execute: inputs.execute,
    resumeRunLease: {},
    destroyRunLease: {},
  });
}

function callsOn(newStage, driverKey, inputs, ofBothLevels) {
  const calls = {};
  // Services are made now, before there is an SDK, and called later.
  const add = (level, method, argsOn) => {
    const stage = newStage();
    const target = level === 'service' ? stage.service : stage.service.getDriver(driverKey);
    const args = argsOn(stage);
    calls[`${level}.${method}`] = () => target[method](...args);
  };
  add('service', 'acquireRunLease', (stage) => [
    { ...acquisition(stage, inputs), persistedExecutionWorkspace: null },
  ]);
  add('driver', 'acquireRunLease', (stage) => [acquisition(stage, inputs)]);
  add('service', 'releaseRunLeases', ({ lease }) => [lease.heartbeatRunId, 'released']);
  add('driver', 'releaseRunLease', ({ environment, lease }) => [{ environment, lease, status: 'released' }]);
  for (const [method, more] of Object.entries(ofBothLevels)) {
    for (const level of ['service', 'driver']) {
      add(level, method, ({ environment, lease }) => [{ environment, lease, ...more }]);
    }
  }
  return calls;
}

function acquisition({ environment, lease: { companyId, issueId, heartbeatRunId } }, inputs) {
  return { companyId, issueId, heartbeatRunId, ...inputs.acquire, environment };
}
