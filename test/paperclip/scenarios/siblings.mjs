/**
 * The messages of the two kinds in the server's sources, beside those of the seeds: each thrown by the real
 * code. And some of other kinds, which must not be taken for one of the two.
 */
import { plainAnswers, plainInputs } from '../host/operations.mjs';
import {
  database,
  pluginEnvironment,
  pluginLease,
  pluginRow,
  sandboxEnvironment,
  sandboxLease,
  workerManager,
} from '../host/stage.mjs';

export function prepare({ environmentRuntimeService }) {
  const service = environmentRuntimeService(database({ plugins: [pluginRow()] }), {
    pluginWorkerManager: workerManager(plainAnswers),
  });
  return {
    ...ofSandboxDriver(service),
    ...ofPluginDriver(service),
    ...ofMissingMethods(service),
    ...ofDriverWithoutRealize(environmentRuntimeService),
    ...ofOtherKinds(service),
  };
}

function ofSandboxDriver(service) {
  const environment = sandboxEnvironment();
  const driver = service.getDriver('sandbox');
  const nonPlugin = sandboxLease({ metadata: { sandboxProviderPlugin: false } });
  const incomplete = sandboxLease({ metadata: { pluginId: undefined } });
  const { execute, sync, ingress } = plainInputs;
  return {
    'sync_in, no plug-in': () => service.syncIn({ environment, lease: nonPlugin, ...sync }),
    'sync_out, no plug-in': () => service.syncOut({ environment, lease: nonPlugin, ...sync }),
    'sync_in, incomplete': () => service.syncIn({ environment, lease: incomplete, ...sync }),
    'sync_out, incomplete': () => service.syncOut({ environment, lease: incomplete, ...sync }),
    'execute, built-in provider': () => service.execute({ environment, lease: nonPlugin, ...execute }),
    'ingress, no plug-in': () =>
      driver.getRunnerIngressEndpoint({ environment, lease: nonPlugin, ...ingress }),
    'ingress, incomplete': () =>
      driver.getRunnerIngressEndpoint({ environment, lease: incomplete, ...ingress }),
    'ingress, not granted': () =>
      service.getRunnerIngressEndpoint({ environment, lease: nonPlugin, ...ingress }),
    'teardown, no recorded provider': () =>
      service.retryPendingSandboxTeardown({
        environment: null,
        lease: sandboxLease({ provider: null, metadata: { provider: undefined } }),
      }),
    'teardown, no recorded config': () =>
      service.retryPendingSandboxTeardown({
        environment: null,
        lease: sandboxLease({ metadata: { provider: undefined } }),
      }),
  };
}

function ofPluginDriver(service) {
  const environment = pluginEnvironment();
  return {
    'resume, no provider lease id': () =>
      service.resumeRunLease({ environment, lease: pluginLease({ providerLeaseId: null }) }),
    'execute, no driver key': () =>
      service.execute({
        environment: pluginEnvironment({ config: {} }),
        lease: pluginLease({ metadata: { driverKey: undefined } }),
        ...plainInputs.execute,
      }),
    'ingress, method missing': () =>
      service.getRunnerIngressEndpoint({ environment, lease: pluginLease(), ...plainInputs.ingress }),
  };
}

function ofMissingMethods(service) {
  const environment = sandboxEnvironment({ driver: 'local', config: {} });
  const lease = {
    ...sandboxLease(),
    provider: 'local',
    providerLeaseId: null,
    metadata: { driver: 'local' },
  };
  const { execute, sync, channel } = plainInputs;
  return {
    'resume, method missing': () => service.resumeRunLease({ environment, lease }),
    'destroy, method missing': () => service.destroyRunLease({ environment, lease }),
    'execute, method missing': () => service.execute({ environment, lease, ...execute }),
    'sync_in, method missing': () => service.syncIn({ environment, lease, ...sync }),
    'sync_out, method missing': () => service.syncOut({ environment, lease, ...sync }),
    'duplex, method missing': () => service.openDuplexChannel({ environment, lease, ...channel }),
    'teardown, method missing': () => service.retryPendingSandboxTeardown({ environment, lease }),
  };
}

/** Every driver of the server can realize a workspace, so only a host's own can lack it. */
function ofDriverWithoutRealize(environmentRuntimeService) {
  const service = environmentRuntimeService({}, { drivers: [{ driver: 'ssh' }] });
  const environment = sandboxEnvironment({ driver: 'ssh' });
  const lease = sandboxLease({ metadata: { driver: 'ssh' } });
  const { workspace } = plainInputs;
  return {
    'realize, method missing': () => service.realizeWorkspace({ environment, lease, workspace }),
  };
}

function ofOtherKinds(service) {
  const { execute, channel } = plainInputs;
  const environment = sandboxEnvironment();
  return {
    'other: driver not registered': () =>
      service.execute({ environment, lease: sandboxLease({ metadata: { driver: 'gone' } }), ...execute }),
    'other: environment not active': () =>
      service.acquireRunLease({
        environment: { ...environment, status: 'archived' },
        companyId: 'company-1',
      }),
    'other: worker not running': () =>
      service.getDriver('sandbox').openDuplexChannel({
        environment,
        lease: sandboxLease({ metadata: { pluginId: 'gone' } }),
        ...channel,
      }),
    'other: driver not declared': () =>
      service.execute({
        environment: pluginEnvironment(),
        lease: pluginLease({ metadata: { driverKey: 'undeclared' } }),
        ...execute,
      }),
  };
}
