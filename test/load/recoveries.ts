/** Agents that recover by themselves, as callers of Paperclip do: by a fallback, or with a fresh lease. */
import type { OperationName } from '../../src/semconv.js';
import { type Agent, WINDOWS } from './agent.js';
import { use } from './channels.js';
import { FAULTS, type Fault, MISSING, RESET, UNSUPPORTED } from './faults.js';
import type { Pending } from './ledger.js';
import type { Done, Lease, Plan, Refused } from './plan.js';
import { acquire } from './work.js';

/** A failure because metadata is missing, and what came of it so far. */
interface Episode {
  readonly pending: Pending;
  readonly at: number;
  /** The calls that failed. */
  readonly failures: Map<OperationName, number>;
  fresh?: Lease;
}

export async function fallsBack(agent: Agent): Promise<void> {
  const refused = await refuse(agent, agent.random.chance(0.7) ? UNSUPPORTED : agent.random.pick(FAULTS));
  await agent.think();
  // Whether the fallback itself succeeds is another matter.
  await agent.fallBack(refused, { fails: agent.random.chance(0.3) ? agent.random.pick(FAULTS) : undefined });
  if (agent.random.chance(0.5)) await agent.fallBack(refused);
}

/** Two refusals on one lease: each execute is the fallback of one, the longest waiting. */
export async function fallsBackTwice(agent: Agent): Promise<void> {
  const lease = agent.lease('non_plugin');
  const waiting: Refused[] = [];
  const open = async () => {
    const fault = agent.random.pick(FAULTS);
    waiting.push(agent.refused(await agent.open(lease, fault), lease, fault));
  };
  await Promise.all([open(), open()]);
  for (let executions = agent.random.below(4); executions > 0; executions -= 1) {
    const next = waiting.find(({ pending }) => pending?.isOpen) ?? { lease, at: 0, pending: undefined };
    await agent.fallBack(next);
  }
}

export async function fallsBackInTheLastMoment(agent: Agent): Promise<void> {
  const refused = await refuse(agent, UNSUPPORTED);
  await agent.sleepUntil(refused.at + WINDOWS.fallbackWindowMs);
  await agent.fallBack(refused);
}

export async function fallsBackTooLate(agent: Agent): Promise<void> {
  const refused = await refuse(agent, UNSUPPORTED);
  await agent.sleepUntil(refused.at + WINDOWS.fallbackWindowMs + 1);
  refused.pending?.end();
  await agent.fallBack(refused);
}

/** With every end that there is, among them that the run ends before the next step. */
export async function reacquires(agent: Agent): Promise<void> {
  const stale = agent.lease('plugin_incomplete');
  const operation = agent.random.pick(['open_duplex_channel', 'sync_in', 'execute'] as const);
  const { episode, refused } = await lacks(agent, operation, stale);
  const steps = agent.random.below(4);
  if (steps === 0) return;
  await agent.think();
  const fresh = agent.lease('plugin_complete');
  // Paperclip retries a failed run as a new run of the same issue.
  const run = agent.random.chance(0.5) ? `run-${agent.number}-again` : undefined;
  const isRefused = agent.random.chance(0.2);
  await acquireFor(agent, episode, fresh, {
    ...(run && { run }),
    fails: isRefused ? agent.random.pick(FAULTS) : undefined,
  });
  if (isRefused || steps === 1) {
    if (refused && agent.random.chance(0.5)) await agent.fallBack(refused);
    return;
  }
  await agent.think();
  const outcome = agent.random.pick([undefined, undefined, MISSING, RESET, UNSUPPORTED]);
  const again = await retry(agent, operation, fresh, { episode, refused, fails: outcome });
  if (again && agent.random.chance(0.5)) await agent.fallBack(again);
}

/** The acquire lacks metadata itself. That ends the episode and begins none: a fresh lease cures no acquire. */
export async function acquireLacksToo(agent: Agent): Promise<void> {
  const { episode, refused } = await lacks(agent, 'open_duplex_channel', agent.lease('plugin_incomplete'));
  await agent.think();
  await acquireFor(agent, episode, agent.lease('plugin_complete'), { fails: MISSING });
  await agent.think();
  const fresh = agent.lease('plugin_complete');
  await acquireFor(agent, episode, fresh);
  await retry(agent, 'open_duplex_channel', fresh, { episode, refused });
}

/** A second failure of the owner joins the first. The retry of either ends both. */
export async function lacksTwice(agent: Agent): Promise<void> {
  const stale = agent.lease('plugin_incomplete');
  const { episode, refused } = await lacks(agent, 'open_duplex_channel', stale);
  const joined = await agent.call('sync_in', { lease: stale, fails: MISSING });
  const both = lacking(agent, episode, 'sync_in', joined);
  await agent.think();
  const fresh = agent.lease('plugin_complete');
  await acquireFor(agent, both, fresh);
  await retry(agent, 'sync_in', fresh, { episode: both });
  await retry(agent, 'open_duplex_channel', fresh, { episode: both, refused });
}

/** The window reaches to its end, and does not pass while a lease is acquired. The request waits for all of it. */
export async function reacquiresSlowly(agent: Agent): Promise<void> {
  const { reacquireWindowMs } = WINDOWS;
  const { episode, refused } = await lacks(agent, 'open_duplex_channel', agent.lease('plugin_incomplete'));
  const fresh = agent.lease('plugin_complete');
  const work = () => agent.sleepUntil(agent.now + reacquireWindowMs + 1);
  await agent.sleepUntil(agent.now + reacquireWindowMs);
  await acquireFor(agent, episode, fresh, { work });
  await agent.sleepUntil(agent.now + reacquireWindowMs);
  await retry(agent, 'open_duplex_channel', fresh, { episode, refused });
}

export async function acquiresTooLate(agent: Agent): Promise<void> {
  const { episode, refused } = await lacks(agent, 'open_duplex_channel', agent.lease('plugin_incomplete'));
  await agent.sleepUntil(agent.now + WINDOWS.reacquireWindowMs + 1);
  episode?.pending.end();
  const fresh = agent.lease('plugin_complete');
  await acquireFor(agent, episode, fresh);
  await retry(agent, 'open_duplex_channel', fresh, { episode, refused });
}

export async function retriesTooLate(agent: Agent): Promise<void> {
  const { episode, refused } = await lacks(agent, 'open_duplex_channel', agent.lease('plugin_incomplete'));
  const fresh = agent.lease('plugin_complete');
  await acquireFor(agent, episode, fresh);
  await agent.sleepUntil(agent.now + WINDOWS.reacquireWindowMs + 1);
  episode?.pending.end();
  await retry(agent, 'open_duplex_channel', fresh, { episode, refused });
}

async function refuse(agent: Agent, fault: Fault): Promise<Refused> {
  const lease = agent.lease('non_plugin');
  return agent.refused(await agent.open(lease, fault), lease, fault);
}

/** An operation fails because metadata is missing. */
async function lacks(agent: Agent, operation: OperationName, lease: Lease) {
  const done = await agent.call(operation, { lease, fails: MISSING });
  const isOpen = operation === 'open_duplex_channel';
  return {
    episode: lacking(agent, undefined, operation, done),
    refused: isOpen ? agent.refused(done, lease, MISSING) : undefined,
  };
}

/** Enters such a failure: it joins the owner's open episode, or begins one. */
function lacking(agent: Agent, open: Episode | undefined, operation: OperationName, { call }: Done) {
  if (call === undefined) return open;
  const count = (outcome: string) => agent.reacquire(outcome);
  const episode: Episode = open?.pending.isOpen
    ? open
    : { pending: agent.world.ledger.pend('not_attempted', count), at: agent.now, failures: new Map() };
  episode.failures.set(operation, call);
  return episode;
}

/** Acquires a lease, which the owner's open episode waits for. */
async function acquireFor(
  agent: Agent,
  episode: Episode | undefined,
  fresh: Lease,
  plan: Plan = {},
): Promise<void> {
  const isStep = agent.world.isOn && episode?.pending.isOpen === true;
  const from = episode && [...episode.failures.values()][0];
  const recovery = isStep ? ({ kind: 'reacquire', from } as const) : undefined;
  await acquire(agent, fresh, { recovery, ...plan });
  if (isStep && plan.fails) episode.pending.end('acquire_failed');
  else if (isStep && episode.pending.isOpen) {
    episode.pending.standing = 'not_retried';
    episode.fresh = fresh;
  }
}

interface Before {
  readonly episode: Episode | undefined;
  readonly refused?: Refused | undefined;
  readonly fails?: Fault | undefined;
}

/** Tries the operation on the fresh lease. A retried open carries the refused request on. */
async function retry(
  agent: Agent,
  operation: OperationName,
  lease: Lease,
  { episode, refused, fails }: Before,
): Promise<Refused | undefined> {
  const isStep =
    agent.world.isOn &&
    episode?.pending.isOpen === true &&
    episode.fresh === lease &&
    episode.failures.has(operation);
  const recovery = isStep
    ? ({ kind: 'reacquire', from: episode.failures.get(operation) } as const)
    : undefined;
  const isOpen = operation === 'open_duplex_channel';
  if (isStep && isOpen) refused?.pending?.drop();
  const opened = isOpen ? await agent.open(lease, fails, { recovery }) : undefined;
  const done = opened ?? (await agent.call(operation, { lease, fails, recovery }));
  if (isStep) episode.pending.end(outcomeOf(fails));
  if (fails === MISSING) lacking(agent, episode, operation, done);
  if (opened === undefined) return undefined;
  if (fails) return agent.refused(done, lease, fails);
  if (done.call !== undefined) agent.request('opened');
  await use(agent, opened);
  return undefined;
}

function outcomeOf(fails: Fault | undefined): string {
  if (fails === undefined) return 'succeeded';
  return fails === MISSING ? 'still_incomplete' : 'operation_failed';
}
