/**
 * One agent on the real service: its calls, what each of them is entered as, and how a worker answers them. Its service,
 * its database and its environment are its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';
import { inCall } from './load-telemetry.mjs';
import { plainAnswers, plainInputs } from './operations.mjs';
import {
  database,
  echoSession,
  pluginRow,
  sandboxEnvironment,
  sandboxLease,
  workerManager,
} from './stage.mjs';

/** What the call that is under way was planned to do. */
const plans = new AsyncLocalStorage();
const PROVIDER = { [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'daytona' };
const DRIVER = { [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'sandbox' };
/** Only what a catalog record matches has an event. */
const CLASSIFIED = [semconv.TAG_UNSUPPORTED_DRIVER_OPERATION, semconv.TAG_MISSING_METADATA_FIELD];
const INPUTS = {
  execute: plainInputs.execute,
  realizeWorkspace: { workspace: plainInputs.workspace },
  syncIn: plainInputs.sync,
  syncOut: plainInputs.sync,
  getRunnerIngressEndpoint: plainInputs.ingress,
  destroyRunLease: {},
  releaseRunLease: { status: 'released' },
  openDuplexChannel: plainInputs.channel,
};
/** Paperclip's driver catches what the worker throws, and returns the lease for a later clean-up. */
const RETURNING = ['release_run_lease', 'destroy_run_lease'];

/** Worker answers that take some turns, and are what was planned. */
function answer(given) {
  return async () => {
    const { agent, fails } = plans.getStore();
    await agent.work();
    if (fails?.make) throw fails.make();
    return given;
  };
}
const ANSWERS = {
  ...Object.fromEntries(Object.entries(plainAnswers).map(([method, given]) => [method, answer(given)])),
  environmentAcquireLease: async () => {
    const { isIncomplete } = plans.getStore();
    const lease = await answer(plainAnswers.environmentAcquireLease)();
    return isIncomplete ? { ...lease, providerLeaseId: null } : lease;
  },
  duplexChannelOpen: async () => {
    await answer()();
    const session = echoSession();
    plans.getStore().session = session;
    return session;
  },
};

export class Agent {
  #leases = 0;

  constructor(number, world, random) {
    this.number = number;
    this.world = world;
    this.random = random;
    this.environment = sandboxEnvironment({ id: `environment-${number}` });
    this.tables = { plugins: [pluginRow()], environments: [this.environment] };
    const db = database(this.tables, () => this.#newId());
    this.service = world.newService(db, { pluginWorkerManager: workerManager(ANSWERS) });
    this.driver = this.service.getDriver('sandbox');
  }

  think() {
    return this.world.turns.turn();
  }

  async work() {
    for (let turns = this.random.below(4); turns > 0; turns -= 1) await this.think();
  }

  /** A lease of its own; `fields` say what it lacks. */
  lease(fields) {
    const environmentId = this.environment.id;
    return sandboxLease({ id: this.#newId(), environmentId, ...this.owner(), ...fields });
  }

  owner() {
    const { number } = this;
    return {
      heartbeatRunId: `run-${number}`,
      issueId: `issue-${number}`,
      executionWorkspaceId: `workspace-${number}`,
    };
  }

  /**
   * Makes a call of the sandbox driver, or of the service where that is the same, and enters it.
   *
   * @param operation its name
   * @param plan `lease`; what it `fails` with, thrown by the worker if there is a way to `make` it, else by the driver;
   *   what it is the `recovery` of
   */
  async call(operation, plan) {
    const method = methodOf(operation);
    const level = plan.level ?? (this.service[method] && this.random.chance(0.5) ? 'service' : 'driver');
    const { environment } = this;
    const input =
      operation === 'acquire_run_lease'
        ? { companyId: 'company-1', ...this.owner(), ...plainInputs.acquire, environment }
        : { environment, lease: plan.lease, ...INPUTS[method] };
    if (operation === 'acquire_run_lease') input.persistedExecutionWorkspace = null;
    return await this.enter(operation, plan, () => this[level][method](input));
  }

  /** Makes a call that ends as planned, and enters it. */
  async enter(operation, plan, make) {
    const { world } = this;
    world.calls += 1;
    const number = world.calls;
    const call = world.isOn ? number : undefined;
    const planned = { ...plan, agent: this };
    let value;
    let error;
    try {
      value = await plans.run(planned, () => inCall(number, this.random, make));
    } catch (thrown) {
      error = thrown;
    }
    const isReturned = RETURNING.includes(operation);
    if ((error !== undefined) !== (plan.fails !== undefined && !isReturned))
      throw new Error(`${operation} ended otherwise than planned`, { cause: error });
    if (call !== undefined) this.entered(operation, plan, number);
    return { call, value, error, session: planned.session };
  }

  /** Enters a call that has ended. */
  entered(operation, { lease, fails, recovery }, number, parent) {
    const { ledger } = this.world;
    const isOfNone = operation === 'release_run_leases';
    const isReturned = RETURNING.includes(operation);
    const errorType = fails && (isReturned ? semconv.ERROR_TYPE_LEASE_CLEANUP_FAILED : fails.errorType);
    const name = { [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: operation };
    const acquired = operation === 'acquire_run_lease' && !fails ? 'created' : undefined;
    ledger.add(
      semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE.name,
      { ...name, ...(isOfNone ? {} : DRIVER) },
      0,
    );
    ledger.add(semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION.name, {
      ...name,
      ...(isOfNone ? {} : { ...DRIVER, ...PROVIDER }),
      [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: shapeOf(lease),
      [semconv.ATTR_ERROR_TYPE]: errorType,
      [semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME]: acquired,
    });
    const end = { release_run_lease: 'released', destroy_run_lease: 'destroyed' }[operation];
    if (end !== undefined && !fails)
      this.count(semconv.METRIC_PAPERCLIP_LEASE_DURATION, {
        ...DRIVER,
        [semconv.ATTR_PAPERCLIP_LEASE_END]: end,
      });
    ledger.spans.set(number, {
      name: isOfNone ? operation : `${operation} sandbox`,
      errorType,
      recovery,
      parent,
      hasException: CLASSIFIED.includes(errorType),
    });
  }

  /** An open of a channel; `opened` only if it did. A refusal is the driver's own or the worker's. */
  async open(lease, fails, recovery) {
    const opened = await this.call('open_duplex_channel', { level: 'driver', lease, fails, recovery });
    if (opened.call !== undefined && !fails)
      this.count(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, {}, 1);
    return opened;
  }

  async acquire(plan = {}) {
    const acquired = await this.call('acquire_run_lease', { level: 'service', ...plan });
    return { ...acquired, lease: acquired.value?.lease };
  }

  count(metric, attributes = {}, value = 1) {
    this.world.ledger.add(metric.name, { ...PROVIDER, ...attributes }, value);
  }

  request(outcome, errorType, reason) {
    this.count(semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS, {
      [semconv.ATTR_PAPERCLIP_DUPLEX_OUTCOME]: outcome,
      [semconv.ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: reason,
      [semconv.ATTR_ERROR_TYPE]: errorType,
    });
  }

  reacquire(outcome) {
    const attributes = { [semconv.ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: outcome };
    this.count(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRES, attributes);
    this.count(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION, attributes);
  }

  /** Something that is counted later, if what it comes from was recorded. */
  pend({ call }, standing, count) {
    return call === undefined ? undefined : this.world.ledger.pend(standing, count);
  }

  #newId() {
    this.#leases += 1;
    return `lease-${this.number}-${this.#leases}`;
  }
}

function methodOf(operation) {
  return operation.replace(/_(\w)/g, (_all, letter) => letter.toUpperCase());
}

function shapeOf(lease) {
  if (lease === undefined) return 'absent';
  if (!lease.metadata.sandboxProviderPlugin) return 'non_plugin';
  return lease.providerLeaseId ? 'plugin_complete' : 'plugin_incomplete';
}
