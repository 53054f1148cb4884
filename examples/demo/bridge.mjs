// @ts-check
/**
 * Paperclip's own way to work over a channel: its bridge decides whether to open one, forwards an agent's requests
 * over it, and tells of fallbacks and losses that no lease operation shows.
 */
import { ask } from './duplex.mjs';
import { subjectOf } from './handlers.mjs';

/** @import { Handler } from './handlers.mjs' */

/** @type {Handler} */
export async function bridge({ runtime, leases, createDuplexObservability }, { id, body }) {
  const subject = subjectOf(leases, id);
  const { provider, enableSandboxDuplexBridge = true } = subject.environment.config;
  const observability = createDuplexObservability({ providerKey: provider });
  const workWithout = () => runtime.execute({ ...subject, command: body.command });
  if (!enableSandboxDuplexBridge) {
    observability.recordFallback('gate_off');
    return await workWithout();
  }

  const attempt = observability.startChannelOpen();
  const channel = await runtime.openDuplexChannel({ ...subject, command: [body.command] }).catch(() => null);
  if (!channel) {
    attempt.fallback('channel_open_failed');
    return await workWithout();
  }
  attempt.ready();

  const start = performance.now();
  const { output, exit } = await ask(channel, body.input);
  observability.recordRequest({
    latencyMs: performance.now() - start,
    outcome: exit ? 'error' : 'ok',
  });
  if (exit) {
    observability.recordLoss('post_dispatch', exit.transportClosed ? 'transport_closed' : 'provider_exit');
  }
  await channel.close().catch(() => observability.recordSessionLeak());
  return { output };
}
