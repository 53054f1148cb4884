/** Agents whose requests Paperclip accounts for, as its bridge does. */
import * as semconv from '../../src/semconv.js';
import type { Agent } from './agent.js';
import { use } from './channels.js';
import { FAULTS, UNSUPPORTED } from './faults.js';
import type { Attempt, Facade } from './host.js';
import type { Pending } from './ledger.js';
import type { Refused } from './plan.js';

const LOSSES = semconv.METRIC_PAPERCLIP_DUPLEX_LOSSES.name;
const LEAKS = semconv.METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS.name;
const FORWARDS = semconv.METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION.name;

/** The channel opens and is used for requests; it may be lost meanwhile. */
export async function bridges(agent: Agent): Promise<void> {
  const facade = await facadeFor(agent);
  const attempt = facade.startChannelOpen?.() as Attempt;
  const done = await agent.open(agent.lease('plugin_complete'));
  await agent.think();
  const isReady = agent.random.chance(0.7);
  const reason = agent.random.pick(semconv.FALLBACK_REASONS);
  if (isReady) attempt.ready();
  else attempt.fallback(reason);
  const announced = isReady ? undefined : announce(agent, reason);
  if (agent.world.isOn && isReady) agent.request('opened');
  // The second of the two says nothing new.
  attempt.fallback('ready_timeout');
  for (let requests = agent.random.below(4); requests > 0; requests -= 1) {
    const outcome = agent.random.pick(['ok', 'error', 'unheard-of']);
    facade.recordRequest?.({ latencyMs: agent.random.below(100), outcome });
    report(agent, FORWARDS, {
      [semconv.ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME]:
        outcome === 'unheard-of' ? semconv.VALUE_OTHER : outcome,
    });
    await agent.think();
  }
  if (announced && agent.random.chance(0.7)) await goOn(agent, announced);
  if (agent.random.chance(0.3)) {
    const lossClass = agent.random.pick(semconv.LOSS_CLASSES);
    const lossReason = agent.random.pick(semconv.LOSS_REASONS);
    facade.recordLoss?.(lossClass, lossReason);
    report(agent, LOSSES, {
      [semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS]: lossClass,
      [semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_REASON]: lossReason,
    });
    facade.recordSessionLeak?.();
    report(agent, LEAKS);
  }
  await use(agent, done);
}

/** The open is refused. Paperclip says why it falls back, and the request is counted by that alone. */
export async function bridgeFallsBack(agent: Agent): Promise<void> {
  const facade = await facadeFor(agent);
  const attempt = facade.startChannelOpen?.() as Attempt;
  const lease = agent.lease('non_plugin');
  const fault = agent.random.chance(0.7) ? UNSUPPORTED : agent.random.pick(FAULTS);
  const done = await agent.open(lease, fault);
  const refused = agent.refused(done, lease, fault, false);
  await agent.think();
  const reason = agent.random.pick([...semconv.FALLBACK_REASONS, 'unheard-of']);
  attempt.fallback(reason);
  const label = reason === 'unheard-of' ? semconv.VALUE_OTHER : reason;
  const announced = announce(agent, label, done.call === undefined ? undefined : fault.errorType);
  await agent.think();
  // Else the run was stopped.
  if (agent.random.chance(0.8)) await goOn(agent, announced, refused);
}

/** Enters a fallback that Paperclip reports: it is cancelled, unless work follows. */
function announce(agent: Agent, reason: string, errorType?: string): Pending | undefined {
  if (!agent.world.isOn) return undefined;
  return agent.world.ledger.pend('cancelled', (outcome) => {
    if (outcome === 'fallback') agent.request('fallback', errorType, reason);
    else agent.request('cancelled');
  });
}

/** The work that follows. */
async function goOn(agent: Agent, announced: Pending | undefined, refused?: Refused): Promise<void> {
  if (agent.world.isOn) announced?.end('fallback');
  const lease = agent.lease('plugin_complete');
  await agent.fallBack(refused ?? { lease, at: agent.now, pending: undefined });
}

/** No channel is even tried. */
export async function gateIsOff(agent: Agent): Promise<void> {
  const facade = await facadeFor(agent);
  const [gateOff] = semconv.FALLBACK_REASONS;
  facade.recordFallback?.(gateOff);
  if (agent.world.isOn) agent.request('fallback', undefined, gateOff);
  await agent.call('execute', { lease: agent.lease('plugin_complete') });
}

/** An attempt belongs to the continuation of the last turn, as in Paperclip; never to who started the agent. */
async function facadeFor(agent: Agent): Promise<Facade> {
  await agent.think();
  return agent.world.host.createFacade({ providerKey: agent.environment.provider });
}

/** What Paperclip says is counted at the moment when it says so. */
function report(agent: Agent, metric: string, attributes = {}): void {
  if (agent.world.isOn) agent.count(metric, attributes);
}
