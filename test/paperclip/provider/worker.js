/** A sandbox provider for Paperclip whose leases are folders of this machine, and their commands its processes. */
import { definePlugin, runWorker } from '@paperclipai/plugin-sdk';
import { logCall } from './calls.js';
import { closeAllChannels, closeChannel, openChannel, stopChannel, writeToChannel } from './channels.js';
import { runCommand } from './commands.js';
import { configOf, findLease, idOf, makeLease, removeLease, workspaceOf } from './leases.js';
import { handedOut, misbehave } from './misbehave.js';

/** What the host offers to the plug-in. */
let host;

/**
 * A hook that serves leases: its call is logged, and then goes wrong if the config asks for that. The host records the span where it
 * keeps a trace; it knows few names, and calls any other `sandbox.daytona.other`.
 */
function served(hook, serve) {
  return async (call) => {
    const span = host.tracer.startSpan(hook);
    try {
      const providerLeaseId = idOf(call);
      const config = call.config ?? configOf(providerLeaseId);
      const { environmentId, env } = call;
      logCall(hook, config, { environmentId, providerLeaseId, traceparent: env?.TRACEPARENT });
      await misbehave(hook, config);
      return await serve(call, config, providerLeaseId);
    } finally {
      span.end();
    }
  };
}

const plugin = definePlugin({
  async setup(context) {
    host = context;
  },

  async onShutdown() {
    closeAllChannels();
  },

  async onEnvironmentValidateConfig({ config }) {
    return { ok: true, normalizedConfig: config };
  },

  async onEnvironmentProbe() {
    return { ok: true, summary: 'Folders can be made.' };
  },

  onEnvironmentAcquireLease: served('environmentAcquireLease', async (_call, config) =>
    handedOut('environmentAcquireLease', config, await makeLease(config)),
  ),

  onEnvironmentResumeLease: served('environmentResumeLease', async (_call, config, providerLeaseId) =>
    handedOut('environmentResumeLease', config, findLease(providerLeaseId, config)),
  ),

  onEnvironmentReleaseLease: served('environmentReleaseLease', async (_call, config, providerLeaseId) => {
    if (!config.reuseLease) await removeLease(providerLeaseId, config);
    return { providerLeaseId, state: 'stopped' };
  }),

  onEnvironmentDestroyLease: served('environmentDestroyLease', async (_call, config, providerLeaseId) => {
    await removeLease(providerLeaseId, config);
    return { providerLeaseId, state: 'destroyed' };
  }),

  onEnvironmentRealizeWorkspace: served(
    'environmentRealizeWorkspace',
    async (_call, config, providerLeaseId) => ({ cwd: workspaceOf(providerLeaseId, config) }),
  ),

  onEnvironmentExecute: served('environmentExecute', async (call, config, providerLeaseId) =>
    runCommand(call, workspaceOf(providerLeaseId, config)),
  ),

  onDuplexChannelOpen: served('duplexChannelOpen', async (call, _config, providerLeaseId) =>
    openChannel(call, workspaceOf(providerLeaseId), host.duplexChannel),
  ),

  async onDuplexChannelWrite(call) {
    await writeToChannel(call);
  },

  async onDuplexChannelStop(call) {
    stopChannel(call);
  },

  async onDuplexChannelClose(call) {
    return closeChannel(call);
  },
});

export default plugin;
runWorker(plugin, import.meta.url);
