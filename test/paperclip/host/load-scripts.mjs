/** What agents do on the real service. The outcome of each step is decided before it is made. */
import { openDuplexChannelWithRecovery } from 'opentelemetry-instrumentation-paperclip';
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';

/** By the driver itself, for what the lease is. */
const UNSUPPORTED = { errorType: semconv.TAG_UNSUPPORTED_DRIVER_OPERATION };
const MISSING = { errorType: semconv.TAG_MISSING_METADATA_FIELD };
const ofNoPlugin = { metadata: { sandboxProviderPlugin: false } };
const incomplete = { providerLeaseId: null };
/** By the worker. */
const FAULTS = [
  { errorType: 'RangeError', make: () => new RangeError('out of something') },
  { errorType: 'ECONNRESET', make: () => Object.assign(new Error('reset'), { code: 'ECONNRESET' }) },
  { errorType: 'AbortError', make: () => new DOMException('given up', 'AbortError') },
];
const WORK = ['execute', 'sync_in', 'sync_out', 'realize_workspace', 'get_runner_ingress_endpoint'];

async function plainRun(agent) {
  const fails = faultOf(agent);
  const { lease } = await agent.acquire({ fails });
  if (fails) return;
  for (let calls = agent.random.below(5); calls > 0; calls -= 1)
    await agent.call(agent.random.pick(WORK), { lease, fails: faultOf(agent) });
  const end = agent.random.pick(['release_run_lease', 'destroy_run_lease']);
  await agent.call(end, { lease: agent.lease(), fails: faultOf(agent) });
}

/** The service releases the one lease of the run, by a call inside its own. */
async function endOfRun(agent) {
  const lease = agent.lease();
  agent.tables.environment_leases = [{ ...lease }];
  const release = () => agent.service.releaseRunLeases(lease.heartbeatRunId, 'released');
  const { call } = await agent.enter('release_run_leases', {}, release);
  if (call !== undefined) agent.entered('release_run_lease', { lease }, `inside ${call}`, call);
}

async function opens(agent) {
  const lease = agent.lease();
  const fails = faultOf(agent);
  const opened = await agent.open(lease, fails);
  if (fails) return await mayFallBack(agent, refused(agent, opened, fails), lease);
  if (opened.call !== undefined) agent.request('opened');
  await use(agent, opened);
}

async function isUnsupported(agent) {
  const lease = agent.lease(ofNoPlugin);
  await mayFallBack(agent, refused(agent, await agent.open(lease, UNSUPPORTED), UNSUPPORTED), lease);
}

/** With every end that there is, among them that the run ends before the next step. */
async function reacquires(agent) {
  const stale = agent.lease(incomplete);
  const failed = await agent.open(stale, MISSING);
  const request = refused(agent, failed, MISSING);
  let episode = agent.pend(failed, 'not_attempted', (outcome) => agent.reacquire(outcome));
  const steps = agent.random.below(4);
  if (steps === 0) return await mayFallBack(agent, request, stale);
  await agent.think();

  const recovery = { kind: 'reacquire', from: failed.call };
  const isAwaited = agent.world.isOn && episode?.isOpen;
  const fault = steps === 1 ? faultOf(agent) : undefined;
  const isIncomplete = agent.random.chance(0.3);
  const plan = { fails: fault, isIncomplete, recovery: isAwaited ? recovery : undefined };
  const { lease: fresh } = await agent.acquire(plan);
  if (isAwaited && fault) episode.end('acquire_failed');
  else if (isAwaited) episode.standing = 'not_retried';
  if (steps === 1) return await mayFallBack(agent, request, stale);
  await agent.think();

  const isRetry = agent.world.isOn && episode?.isOpen && episode.standing === 'not_retried';
  if (isRetry) request.pending.drop();
  const fails = isIncomplete ? MISSING : faultOf(agent);
  const opened = await agent.open(fresh, fails, isRetry ? recovery : undefined);
  const failure = fails === MISSING ? 'still_incomplete' : 'operation_failed';
  if (isRetry) episode.end(fails ? failure : 'succeeded');
  if (fails === MISSING && !episode?.isOpen)
    episode = agent.pend(opened, 'not_attempted', (outcome) => agent.reacquire(outcome));
  if (fails) return await mayFallBack(agent, refused(agent, opened, fails), fresh);
  if (opened.call !== undefined) agent.request('opened');
  await use(agent, opened);
}

/** Lets `openDuplexChannelWithRecovery` recover; the lease tells at once what it lacks. */
async function isHelped(agent) {
  const { random, world } = agent;
  const lease = agent.lease(incomplete);
  const controller = new AbortController();
  const abortsIn = random.pick(['acquire', 'open', undefined, undefined]);
  const acquireFails = abortsIn ? undefined : faultOf(agent);
  const openFails = abortsIn ? undefined : faultOf(agent);
  const recovery = { kind: 'reacquire', from: undefined };
  const calls = [];
  let opened;
  const step = (name, make) => {
    // The caller gives up when the step has begun.
    if (abortsIn === name) queueMicrotask(() => controller.abort(new RunCancelled()));
    const call = make();
    calls.push(call);
    return call;
  };
  const acquire = async () => {
    const { lease: fresh, error } = await agent.acquire({ fails: acquireFails, recovery });
    if (error !== undefined) throw error;
    return fresh;
  };
  const open = async (fresh) => {
    opened = await agent.open(fresh, openFails, recovery);
    if (opened.error !== undefined) throw opened.error;
    // Nobody waits for it any more, so it is closed.
    if (abortsIn === 'open') ended(agent, opened, 'closed');
    return opened.value;
  };
  const fails = acquireFails ?? openFails;
  await openDuplexChannelWithRecovery({
    lease,
    acquire: () => step('acquire', acquire),
    open: (on) => step('open', () => open(on)),
    signal: controller.signal,
  }).catch(() => {});
  if (world.isOn) {
    const end = fails ? 'failed' : 'opened';
    agent.request(abortsIn ? 'cancelled' : end, fails?.errorType);
    const aborted = abortsIn === 'acquire' ? 'not_attempted' : 'not_retried';
    const failed = acquireFails ? 'acquire_failed' : 'operation_failed';
    const tried = fails ? failed : 'succeeded';
    agent.reacquire(abortsIn ? aborted : tried);
  }
  if (!fails && !abortsIn) await use(agent, opened);
  await Promise.allSettled(calls);
}
class RunCancelled extends Error {}

export const SCRIPTS = [
  plainRun,
  plainRun,
  plainRun,
  endOfRun,
  opens,
  opens,
  isUnsupported,
  reacquires,
  reacquires,
  reacquires,
  isHelped,
];

/** A refused request has failed, unless a fallback follows. */
function refused(agent, failed, { errorType }) {
  const count = (outcome) =>
    agent.request(outcome, errorType, outcome === 'fallback' ? errorType : undefined);
  return { call: failed.call, pending: agent.pend(failed, 'failed', count) };
}

/** Some do the work without a channel. */
async function mayFallBack(agent, { call, pending }, lease) {
  await agent.think();
  if (agent.random.chance(0.4)) return;
  const isFallback = agent.world.isOn && pending?.isOpen;
  if (isFallback) pending.end('fallback');
  const recovery = isFallback ? { kind: 'fallback', from: call } : undefined;
  // On a lease of no plug-in, the driver executes nothing either.
  const fails = lease.metadata.sandboxProviderPlugin ? faultOf(agent) : UNSUPPORTED;
  await agent.call('execute', { lease, fails, recovery });
}

const ENDS = {
  exit: ({ session }) => session.kill(),
  transport_closed: ({ session }) => session.close(),
  stopped: ({ value }) => value.stop(),
  closed: ({ value }) => value.close(),
};

/** Says something over a channel whose other side sends it back, until it ends. */
async function use(agent, opened) {
  const { value: channel, call } = opened;
  const text = agent.random.pick(['hello', 'größer']);
  const bytes = new TextEncoder().encode(text);
  channel.onData(() => {});
  const exited = new Promise((resolve) => channel.onExit(resolve));
  channel.write(bytes);
  if (call !== undefined)
    for (const direction of semconv.IO_DIRECTIONS)
      agent.count(
        semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO,
        { [semconv.ATTR_NETWORK_IO_DIRECTION]: direction },
        bytes.byteLength,
      );
  await agent.think();
  const end = agent.random.pick(semconv.CHANNEL_ENDS);
  ENDS[end](opened);
  ended(agent, opened, end);
  await exited;
}

function ended(agent, { call }, end) {
  if (call === undefined) return;
  agent.count(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, {}, -1);
  const attributes = { [semconv.ATTR_PAPERCLIP_DUPLEX_CHANNEL_END]: end };
  agent.count(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION, attributes);
}

function faultOf(agent) {
  return agent.random.chance(0.3) ? agent.random.pick(FAULTS) : undefined;
}
