/** Agents that have nothing to recover from, or do not: plain work, releases, calls inside calls. */
import {
  ERROR_TYPE_LEASE_CLEANUP_FAILED,
  ERROR_TYPE_TIMEOUT,
  LEASE_ENDS,
  type LeaseShape,
  OPERATION_NAMES,
  type OperationName,
  VALUE_OTHER,
} from '../../src/semconv.js';
import type { Agent } from './agent.js';
import { use } from './channels.js';
import { FAULTS, type Fault, MISSING } from './faults.js';
import type { Done, Lease, Plan, Shape, Started } from './plan.js';

const SHAPES: readonly LeaseShape[] = ['plugin_complete', 'plugin_incomplete', 'non_plugin', 'absent'];
const OWN_SCRIPTS = ['acquire_run_lease', 'release_run_leases', 'release_run_lease', 'open_duplex_channel'];
const PLAIN = OPERATION_NAMES.filter((name) => !OWN_SCRIPTS.includes(name));
const FAILING = 0.3;
const RETURNING_FAILURE = 0.2;

/** Some operations on leases that have nothing in common. */
export async function plainWork(agent: Agent): Promise<void> {
  for (let calls = 1 + agent.random.below(4); calls > 0; calls -= 1) {
    const shape = agent.random.pick(SHAPES);
    const lease = shape === 'absent' ? undefined : agent.lease(shape);
    const fails = faultOf(agent);
    const operation = agent.random.pick(PLAIN);
    await agent.call(operation, { lease, fails, ...returned(agent, operation, lease) });
    if (agent.random.chance(0.5)) await agent.think();
  }
}

/** What a call returns where it does not throw, and the failure that this tells of. */
function returned(agent: Agent, operation: OperationName, lease: Lease | undefined): Plan {
  if (operation === 'execute') return executed(agent);
  if (operation === 'retry_pending_sandbox_teardown') return lease ? keptOr(agent, lease, {}) : {};
  if (operation !== 'destroy_run_lease' || lease === undefined) return { value: { timedOut: true } };
  const value = { ...lease, status: 'expired', cleanupStatus: 'success' };
  return keptOr(agent, lease, { value, leaseEnd: 'destroyed' });
}

function executed(agent: Agent): Plan {
  const timedOut = agent.random.chance(RETURNING_FAILURE);
  const value = { exitCode: agent.random.below(3), timedOut };
  return { value, returns: timedOut ? ERROR_TYPE_TIMEOUT : undefined };
}

/** The provider may not have given the sandbox up. */
function keptOr(agent: Agent, lease: Lease, otherwise: Plan): Plan {
  if (!agent.random.chance(RETURNING_FAILURE)) return otherwise;
  const value = { ...lease, status: 'pending_cleanup', cleanupStatus: 'failed' };
  return { value, returns: ERROR_TYPE_LEASE_CLEANUP_FAILED };
}

/** Opens channels, each on a lease of its own, and uses those that open. */
export async function plainOpens(agent: Agent): Promise<void> {
  for (let calls = 1 + agent.random.below(3); calls > 0; calls -= 1) {
    const lease = agent.lease(agent.random.pick<Shape>(['plugin_complete', 'non_plugin']));
    const fails = faultOf(agent);
    const done = await agent.open(lease, fails);
    if (fails) agent.refused(done, lease, fails);
    else {
      if (done.call !== undefined) agent.request('opened');
      await use(agent, done);
    }
  }
}

/** Acquires a lease, works on it, and gives it back. */
export async function runToTheEnd(agent: Agent): Promise<void> {
  const lease = agent.lease('plugin_complete');
  const fails = faultOf(agent);
  await acquire(agent, lease, { fails });
  if (fails) return;
  await agent.think();
  await agent.call('execute', { lease, fails: faultOf(agent), ...executed(agent) });
  await release(agent, lease);
}

/** A run that ends: all its leases are released, and the failure of one does not stop the others. */
export async function releaseAll(agent: Agent): Promise<void> {
  const started: Started = {};
  const work = async () => {
    for (let leases = agent.random.below(4); leases > 0; leases -= 1)
      await release(agent, agent.lease('plugin_complete'), { fails: faultOf(agent), parent: started });
  };
  await agent.call('release_run_leases', { value: [], work }, started);
}

/** Calls inside a call, of which the last fails with what the outer call fails with. */
export async function failsInside(agent: Agent): Promise<void> {
  const { errorType, make } = agent.random.pick(FAULTS);
  const error = make();
  const fails: Fault = { errorType, make: () => error };
  const started: Started = {};
  const passesOn: Started = {};
  const lease = agent.lease('plugin_complete');
  const work = async () => {
    await agent.call('sync_in', { lease, fails: faultOf(agent), parent: started });
    await agent.think();
    // A driver that calls another driver is two operations.
    const environment = { ...agent.environment, driver: 'plugin', driverLabel: 'plugin' };
    const inner = {
      lease,
      fails,
      parent: started,
      environment,
      level: 'driver',
    } as const;
    await agent.call(
      agent.environment.driver === 'plugin' ? 'sync_out' : 'realize_workspace',
      inner,
      passesOn,
    );
  };
  await agent.call('realize_workspace', { lease, fails, work, passesOn }, started);
}

export async function acquire(agent: Agent, lease: object, plan: Plan = {}): Promise<Done> {
  const outcome = agent.random.pick(['created', 'resumed', 'replacement', 'conjured', undefined]);
  return await agent.call('acquire_run_lease', {
    value: { ...lease, metadata: { sandboxLeaseAcquisition: { outcome } } },
    acquisition: outcome === 'conjured' ? VALUE_OTHER : outcome,
    ...plan,
  });
}

async function release(agent: Agent, lease: Lease, plan: Plan = {}): Promise<void> {
  const status = agent.random.pick(['released', 'expired', 'failed', 'retained']);
  const leaseEnd = LEASE_ENDS.find((end) => end === status);
  const released = keptOr(agent, lease, { leaseEnd, value: { ...lease, status, cleanupStatus: 'success' } });
  await agent.call('release_run_lease', { lease, ...released, ...plan });
}

/** Metadata is missing, and nobody acts on it. Where a teardown fails so, a fresh lease would not cure it either. */
export async function failsForGood(agent: Agent): Promise<void> {
  const lease = agent.lease('plugin_incomplete');
  const cured = agent.random.pick(['sync_in', 'sync_out', 'realize_workspace', 'resume_run_lease'] as const);
  const teardown = agent.random.pick(['destroy_run_lease', 'retry_pending_sandbox_teardown'] as const);
  const operation = agent.random.chance(0.7) ? cured : teardown;
  const done = await agent.call(operation, { lease, fails: MISSING });
  if (done.call !== undefined && operation === cured)
    agent.world.ledger.pend('not_attempted', (outcome) => agent.reacquire(outcome));
}

function faultOf(agent: Agent): Fault | undefined {
  return agent.random.chance(FAILING) ? agent.random.pick(FAULTS) : undefined;
}
