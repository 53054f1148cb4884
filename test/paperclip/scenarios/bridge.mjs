/**
 * Paperclip's sandbox callback bridge: without a duplex channel, with one that is refused, and with one that
 * opens. Its commands and its channel go through the real sandbox driver.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexRecorder, executeLocally, sandboxGateway, startApi } from '../host/bridge.mjs';
import { database, pluginRow, sandboxEnvironment, sandboxLease, workerManager } from '../host/stage.mjs';
import { startAdapterExecutionTargetPaperclipBridge } from '../node_modules/@paperclipai/adapter-utils/dist/execution-target.js';

export function prepare({ environmentRuntimeService }) {
  let leases = 0;
  /** A lease of its own, and how a run that has it executes commands and opens channels. */
  const newStage = (gateway) => {
    leases += 1;
    const pluginWorkerManager = workerManager({
      environmentExecute: executeLocally,
      duplexChannelOpen: gateway.open,
    });
    const service = environmentRuntimeService(database({ plugins: [pluginRow()] }), { pluginWorkerManager });
    const driver = service.getDriver('sandbox');
    const environment = sandboxEnvironment();
    const lease = sandboxLease({ id: `lease-${leases}` });
    const withoutPlugin = { ...lease, metadata: { ...lease.metadata, sandboxProviderPlugin: false } };
    return {
      execute: (input) => driver.execute({ ...input, environment, lease }),
      open: ({ command }) => service.openDuplexChannel({ environment, lease, command }),
      refuse: ({ command }) => driver.openDuplexChannel({ environment, lease: withoutPlugin, command }),
    };
  };
  const run = ({ isRefused = false, talk = () => {}, ...how } = {}) => {
    const gateway = sandboxGateway();
    const { execute, open, refuse } = newStage(gateway);
    const runner = { execute, openDuplexChannel: isRefused ? refuse : open };
    return () => bridged({ ...how, runner }, gateway, talk);
  };
  /** A caller that opens a channel itself and, since that is refused, executes its command. */
  const newCaller = () => {
    const { execute, refuse } = newStage(sandboxGateway());
    return async () => {
      const { message } = await refuse({ command: ['echo'] }).catch((error) => error);
      const { stdout } = await execute({ command: 'echo', args: ['done'] });
      return [message, stdout];
    };
  };
  const alongside = [run({ isRefused: true }), newCaller()];
  return {
    'switched off': run({ isSwitchedOn: false }),
    'capability absent': run({ isCapable: false }),
    'provider of somebody': run({ isCapable: false, providerKey: 'somebody' }),
    'open refused': run({ isRefused: true }),
    'open refused, and of another caller too': () => Promise.all(alongside.map((work) => work())),
    'open refused, and once more by its caller': run({ isRefused: true, talk: newCaller() }),
    'opened, ended in order': run({ talk: endInOrder }),
    'opened, lost': run({ talk: lose }),
  };
}

/** One run. `talk` is what happens while the bridge is up. */
async function bridged({ isSwitchedOn = true, isCapable = true, providerKey, runner }, gateway, talk) {
  const { recorder, recorded } = duplexRecorder();
  const api = await startApi();
  const remoteCwd = await mkdtemp(join(tmpdir(), 'paperclip-sandbox-'));
  try {
    const bridge = await startAdapterExecutionTargetPaperclipBridge({
      runId: 'run-1',
      adapterKey: 'acme',
      hostApiToken: 'host-token',
      hostApiUrl: api.url,
      enableSandboxDuplexBridge: isSwitchedOn,
      duplexObservabilityRecorder: recorder,
      target: {
        kind: 'remote',
        transport: 'sandbox',
        providerKey: providerKey ?? 'daytona',
        remoteCwd,
        runner,
        streamRunLogs: false,
        effectiveCapabilities: { duplexCommandStream: isCapable },
      },
    });
    const said = await talk(bridge, gateway);
    await bridge.stop();
    const mode = bridge.env.PAPERCLIP_API_BRIDGE_MODE;
    return { mode, recorded, said, asked: api.requests, bytes: { ...gateway.bytes } };
  } finally {
    api.close();
    await rm(remoteCwd, { recursive: true });
  }
}

async function endInOrder(bridge, gateway) {
  const response = await gateway.request('/api/agents/me');
  bridge.markOrderlyCompletion();
  return { response, disposition: bridge.readRunDisposition() };
}

/** The gateway exits in the middle of the run. */
async function lose(bridge, gateway) {
  const response = await gateway.request('/api/agents/me');
  const lost = new Promise((resolve) => {
    bridge.onLoss(resolve);
  });
  gateway.exit();
  await lost;
  return { response, disposition: bridge.readRunDisposition() };
}
