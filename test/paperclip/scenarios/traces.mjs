/**
 * Operations through the real manager of plug-in workers and a real worker, which runs the provider of this workspace: what
 * reaches the worker, what a command of the sandbox finds in its environment, and the spans that the worker sends back.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { context, propagation } from '@opentelemetry/api';
import { database, PLUGIN_ID, pluginRow, sandboxEnvironment, sandboxLease } from '../host/stage.mjs';
import { measureStartupStep } from '../node_modules/@paperclipai/adapter-utils/dist/acpx-engine/startup-timing.js';
import { runAdapterExecutionTargetProcess } from '../node_modules/@paperclipai/adapter-utils/dist/execution-target.js';
import {
  getStartupTraceContext,
  recordProviderPluginSpan,
} from '../node_modules/@paperclipai/server/dist/instrumentation.js';
import { createPluginWorkerManager } from '../node_modules/@paperclipai/server/dist/services/plugin-worker-manager.js';
import manifest from '../provider/manifest.js';

const LEASE = 'lease-one';
/** Prints what of the context is in its environment, one variable a line. */
const PRINT = ['sh', '-c', 'env | grep -E "^(TRACEPARENT|TRACESTATE|BAGGAGE)=" | sort; exit 0'];

export function prepare({ environmentRuntimeService }) {
  const folder = mkdtempSync(join(tmpdir(), 'leases-'));
  mkdirSync(join(folder, LEASE, 'workspace'), { recursive: true });
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const config = { provider: 'folders', folder };
  const environment = sandboxEnvironment({ config });
  const lease = sandboxLease({
    provider: 'folders',
    providerLeaseId: LEASE,
    expiresAt: new Date('2100-01-01T00:00:00Z'),
    metadata: { provider: 'folders', folder, remoteCwd: join(folder, LEASE, 'workspace') },
  });
  const tables = {
    plugins: [pluginRow({ sandboxProvider: 'folders' })],
    environments: [environment],
    environment_leases: [{ ...lease }],
  };
  const { manager, given } = workers();
  const service = environmentRuntimeService(database(tables), { pluginWorkerManager: manager });
  const driver = service.getDriver('sandbox');
  const input = { environment, lease };

  /** Does the work once the worker runs, and tells what reached the worker, without what differs from run to run. */
  const told = (work) => async () => {
    await started(manager);
    given.splice(0);
    const result = await work();
    // The worker has sent its span before its answer.
    await nextTurn();
    return { given: JSON.stringify(given).replaceAll(folder, '<folder>'), ...result };
  };
  const printed = ({ stdout }) => ({ printed: stdout.split('\n').filter(Boolean) });
  const [command, ...args] = PRINT;
  const execute = async (env = {}) => printed(await driver.execute({ ...input, command, args, env }));
  const open = async () =>
    printed(await readAll(await driver.openDuplexChannel({ ...input, command: PRINT })));
  const local = async (env = {}) =>
    printed(
      await runAdapterExecutionTargetProcess('run-1', null, command, args, {
        cwd: folder,
        env,
        timeoutSec: 20,
        graceSec: 1,
        onLog: async () => {},
      }),
    );
  return {
    realize: told(async () => {
      await service.realizeWorkspace({ ...input, workspace: { localPath: '/local', mode: 'isolated' } });
    }),
    execute: told(() => execute({ HOME: '/' })),
    'execute with a context of its own': told(() => execute({ TRACEPARENT: 'host', BAGGAGE: 'host=1' })),
    'execute in a step': told(() => inStep(execute)),
    'execute in a step, with baggage': told(() => inStep(() => withBaggage(execute))),
    'open a channel': told(open),
    'open a channel in a step': told(() => inStep(open)),
    'a process in a step': told(() => inStep(local)),
    'a process with a context of its own': told(() => inStep(() => local({ TRACEPARENT: 'host' }))),
    'a process': told(() => local()),
    release: told(async () => {
      await service.releaseRunLeases(lease.heartbeatRunId, 'released');
    }),
    'retry a teardown': told(async () => {
      await service.retryPendingSandboxTeardown(input);
    }),
    destroy: told(async () => {
      await driver.destroyRunLease(input);
    }),
    acquire: told(async () => {
      await driver.acquireRunLease({ companyId: 'company-1', environment, heartbeatRunId: 'run-1' });
    }),
  };
}

/** The real manager, which also keeps what it passes on to its worker. */
function workers() {
  const real = createPluginWorkerManager();
  const given = [];
  const manager = {
    ...real,
    call(...call) {
      const [, method, params] = call;
      given.push([method, params]);
      return real.call(...call);
    },
    getWorker(id) {
      const worker = real.getWorker(id);
      return {
        ...worker,
        supportedMethods: worker.supportedMethods,
        openDuplexChannel(input) {
          given.push(['duplexChannelOpen', input]);
          return worker.openDuplexChannel(input);
        },
      };
    },
  };
  return { manager, given };
}

let starting;
function started(manager) {
  starting ??= manager.startWorker(PLUGIN_ID, {
    entrypointPath: fileURLToPath(new URL('../provider/worker.js', import.meta.url)),
    manifest,
    config: {},
    instanceInfo: { instanceId: 'test', hostVersion: '1.0.0' },
    apiVersion: 1,
    hostHandlers: { 'span.record': async ({ name }, { traceparent }) => record(name, traceparent) },
  });
  return starting;
}

/** As the server does it in `plugin-host-services.js`, which needs a newer Node.js, and changes the names. */
function record(name, traceparent) {
  const [, traceId, spanId, flags] = traceparent.split('-');
  recordProviderPluginSpan({ name, attributes: {}, parent: { traceId, spanId, traceFlags: Number(flags) } });
}

function inStep(work) {
  const { tracer, contextWithSpan } = getStartupTraceContext();
  return measureStartupStep(
    {},
    () => performance.now(),
    'step',
    () => work(),
    { tracer, contextWithSpan },
  );
}

function withBaggage(work) {
  const baggage = propagation.createBaggage({ team: { value: 'a b' } });
  return context.with(propagation.setBaggage(context.active(), baggage), () => work());
}

async function readAll(channel) {
  let stdout = '';
  channel.onData((chunk) => {
    stdout += new TextDecoder().decode(chunk);
  });
  await new Promise((resolve) => {
    channel.onExit(resolve);
  });
  await channel.close();
  return { stdout };
}
