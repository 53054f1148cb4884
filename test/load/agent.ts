/** One agent: what it has in its hands, its calls, and what each of them is entered as. */
import * as semconv from '../../src/semconv.js';
import { type Fault, isClassified } from './faults.js';
import { Channel, type Environment, METHODS, type Method } from './host.js';
import type { Attributes } from './ledger.js';
import type { Done, Lease, Plan, Refused, Shape, Started, World } from './plan.js';
import type { Random } from './random.js';

/** Milliseconds. Much longer than an agent that does not sleep takes from one step to the next. */
export const WINDOWS = { fallbackWindowMs: 6_000, reacquireWindowMs: 12_000 };
/** The most times that the work of one call waits for its turn. */
const MAX_TURNS = 3;

const DURATION = semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION.name;
const ACTIVE = semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE.name;
const CHANNEL_ACTIVE = semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE.name;
const LEASE_DURATION = semconv.METRIC_PAPERCLIP_LEASE_DURATION.name;
const REQUESTS = semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS.name;
const REACQUIRES = semconv.METRIC_PAPERCLIP_LEASE_REACQUIRES.name;
const REACQUIRE_DURATION = semconv.METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION.name;

export class Agent {
  readonly #leases: string[] = [];

  constructor(
    readonly number: number,
    readonly world: World,
    readonly random: Random,
    readonly environment: Environment,
  ) {}

  get now(): number {
    return this.world.turns.now;
  }

  /** Waits for its turn. */
  think(): Promise<void> {
    return this.world.turns.turn();
  }

  sleepUntil(at: number): Promise<void> {
    return this.world.turns.sleepUntil(at);
  }

  /** A lease of its own, which nobody else has. */
  lease(shape: Shape) {
    const id = `lease-${this.number}-${this.#leases.length}`;
    this.#leases.push(id);
    const { provider } = this.environment;
    // Of the three fields, one is missing; without a provider, no lease is complete.
    const isComplete = shape === 'plugin_complete' && provider !== undefined;
    return {
      ...this.owner(),
      id,
      shape: shape === 'plugin_complete' && !isComplete ? 'plugin_incomplete' : shape,
      environmentId: this.environment.id,
      status: 'active',
      providerLeaseId: isComplete ? `provider-${id}` : null,
      acquiredAt: new Date(0),
      metadata: { sandboxProviderPlugin: shape !== 'non_plugin', pluginId: 'plugin-1', provider },
    } as const;
  }

  owner(run = `run-${this.number}`) {
    return {
      companyId: `company-${this.number}`,
      heartbeatRunId: run,
      issueId: `issue-${this.number}`,
      executionWorkspaceId: `workspace-${this.number}`,
    };
  }

  /** Waits as many turns as it happens to be. */
  async work(): Promise<void> {
    for (let turns = this.random.below(MAX_TURNS + 1); turns > 0; turns -= 1) await this.think();
  }

  /** Makes a call that ends as planned, and enters it. */
  async call(operation: semconv.OperationName, plan: Plan = {}, started: Started = {}): Promise<Done> {
    this.world.calls += 1;
    const number = this.world.calls;
    if (this.world.isOn) started.call = number;
    const environment = plan.environment ?? this.environment;
    const isOfNone = operation === 'release_run_leases';
    const driver = isOfNone ? undefined : environment.driverLabel;
    const labels = {
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: driver,
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: isOfNone ? undefined : environment.providerLabel,
    };
    const name = { [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: operation };
    const active = { ...name, [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: driver };
    if (started.call !== undefined) {
      this.world.recorded += 1;
      this.#add(ACTIVE, active, 1);
    }
    const done = await this.#make(operation, environment, plan, number);
    if (started.call === undefined) return done;

    const { ledger } = this.world;
    const errorType = plan.fails?.errorType ?? plan.returns;
    this.#add(ACTIVE, active, -1);
    this.#add(DURATION, {
      ...name,
      ...labels,
      [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: plan.lease?.shape ?? 'absent',
      [semconv.ATTR_ERROR_TYPE]: errorType,
      [semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME]: plan.fails ? undefined : plan.acquisition,
    });
    if (plan.leaseEnd && !plan.fails)
      this.#add(LEASE_DURATION, { ...labels, [semconv.ATTR_PAPERCLIP_LEASE_END]: plan.leaseEnd });
    ledger.spans.set(number, {
      name: driver === undefined ? operation : `${operation} ${driver}`,
      errorType,
      recovery: plan.recovery,
      parent: plan.parent?.call,
      hasException: isClassified(plan.fails) && plan.passesOn?.call === undefined,
    });
    return { ...done, call: number };
  }

  async #make(
    operation: semconv.OperationName,
    environment: Environment,
    plan: Plan,
    number: number,
  ): Promise<Done> {
    const { service } = this.world.host;
    const methods = METHODS[operation];
    const level = plan.level ?? (this.random.chance(0.5) ? 'service' : 'driver');
    const isService = methods.driver === undefined || (methods.service !== undefined && level === 'service');
    const error = plan.fails?.make();
    const end = () => {
      if (plan.fails) throw error;
      return plan.value;
    };
    const isSync = !isService && plan.work === undefined && this.random.chance(0.1);
    const input = {
      ...this.owner(plan.run),
      call: number,
      environment: { ...environment, config: { provider: environment.provider } },
      lease: plan.lease,
      status: 'released',
      play: isSync
        ? end
        : async () => {
            await (plan.work ?? (() => this.work()))();
            return end();
          },
    };
    const args = operation === 'release_run_leases' ? [input.heartbeatRunId, input] : [input];
    const target = isService ? service : service.getDriver(environment.driver);
    const method = target[(isService ? methods.service : methods.driver) ?? ''] as Method;
    try {
      const returned = await method.apply(target, args);
      const isWrapped = isService && operation === 'acquire_run_lease';
      const value = isWrapped ? (returned as { lease: unknown }).lease : returned;
      if (plan.fails || value !== plan.value) throw new Error(`call ${number} returned something else`);
      return { value };
    } catch (thrown) {
      if (!plan.fails || thrown !== error) throw thrown;
      return { error: thrown };
    }
  }

  /** An open of a channel, which counts as open until it ends. */
  async open(lease: Lease, fails?: Fault, plan: Plan = {}): Promise<Done & { readonly channel: Channel }> {
    const channel = new Channel();
    const done = await this.call('open_duplex_channel', { lease, fails, value: channel, ...plan });
    if (done.call !== undefined && !fails) this.count(CHANNEL_ACTIVE);
    return { ...done, channel };
  }

  /** Enters a request that has ended. */
  request(outcome: semconv.DuplexOutcome, errorType?: string, reason?: string): void {
    this.#add(REQUESTS, {
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.environment.providerLabel,
      [semconv.ATTR_PAPERCLIP_DUPLEX_OUTCOME]: outcome,
      [semconv.ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: reason,
      [semconv.ATTR_ERROR_TYPE]: errorType,
    });
  }

  /** Enters a re-acquire that has ended. */
  reacquire(outcome: string): void {
    for (const metric of [REACQUIRES, REACQUIRE_DURATION])
      this.#add(metric, {
        [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.environment.providerLabel,
        [semconv.ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: outcome,
      });
  }

  /** A request that was refused has failed, unless a fallback follows. One that was not recorded is none. */
  refused({ call }: Started, lease: Lease, { errorType }: Fault, isCounted = true): Refused {
    const count = (outcome: string) => {
      if (isCounted && outcome === 'fallback') this.request('fallback', errorType, errorType);
      else if (isCounted) this.request('failed', errorType);
    };
    const pending = call === undefined ? undefined : this.world.ledger.pend('failed', count);
    return { call, lease, at: this.now, pending };
  }

  /** Does the work of a refused request without a channel. */
  async fallBack({ call, lease, pending }: Refused, plan: Plan = {}): Promise<Done> {
    const isFallback = this.world.isOn && pending?.isOpen === true;
    if (isFallback) pending.end('fallback');
    const recovery = isFallback ? ({ kind: 'fallback', from: call } as const) : undefined;
    return await this.call('execute', { lease, recovery, ...plan });
  }

  /** Enters something that is counted by provider alone, or with what else is known. */
  count(metric: string, attributes: Attributes = {}, value = 1): void {
    const provider = { [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.environment.providerLabel };
    this.#add(metric, { ...provider, ...attributes }, value);
  }

  #add(metric: string, attributes: Attributes, value = 1): void {
    this.world.ledger.add(metric, attributes, value);
  }
}
