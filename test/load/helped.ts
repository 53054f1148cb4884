/** Agents that let `openDuplexChannelWithRecovery` recover, and that give up in the middle of it. */
import { openDuplexChannelWithRecovery } from '../../src/index.js';
import {
  type ReacquireOutcome,
  type RecoveryKind,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../src/semconv.js';
import type { Agent } from './agent.js';
import { ended, use } from './channels.js';
import { ABORTED, type Fault, MISSING, RESET, UNSUPPORTED } from './faults.js';
import type { Channel } from './host.js';
import type { Done, Lease, Plan, Shape, Started } from './plan.js';
import { acquire } from './work.js';

interface Step {
  readonly fails?: Fault;
}

/** One use of it: what each step does, decided beforehand. Steps that are not mentioned are not offered. */
interface Course {
  readonly shape: Shape;
  /** What the open fails with, where one is tried. */
  readonly opens?: Fault;
  readonly executes?: Step;
  readonly acquires?: Step;
  /** What the open on the fresh lease fails with. */
  readonly retries?: Fault;
  /** The step in whose middle the caller gives up. */
  readonly abortsIn?: 'open' | 'execute' | 'acquire' | 'retry';
}

const READY: Course = { shape: 'plugin_complete' };
const DOOMED: Course = { shape: 'non_plugin' };
const INCOMPLETE: Course = { shape: 'plugin_incomplete' };
const COURSES: readonly Course[] = [
  READY,
  { ...READY, executes: {}, acquires: {} },
  { ...READY, opens: RESET, executes: {}, acquires: {} },
  { ...READY, opens: UNSUPPORTED },
  { ...READY, opens: UNSUPPORTED, executes: {} },
  { ...READY, opens: UNSUPPORTED, executes: { fails: RESET } },
  { ...READY, opens: MISSING },
  { ...READY, opens: MISSING, acquires: {} },
  { ...READY, opens: MISSING, acquires: { fails: RESET } },
  { ...READY, opens: MISSING, acquires: {}, retries: MISSING },
  { ...READY, opens: MISSING, acquires: {}, retries: RESET },
  { ...READY, opens: MISSING, acquires: {}, retries: UNSUPPORTED, executes: {} },
  { ...DOOMED, executes: {} },
  { ...DOOMED, opens: UNSUPPORTED },
  { ...INCOMPLETE, acquires: {} },
  { ...INCOMPLETE, acquires: { fails: RESET } },
  { ...INCOMPLETE, acquires: {}, retries: MISSING },
  { ...INCOMPLETE, opens: MISSING, executes: {} },
  { ...READY, abortsIn: 'open' },
  { ...READY, opens: RESET, abortsIn: 'open' },
  { ...DOOMED, executes: {}, abortsIn: 'execute' },
  { ...INCOMPLETE, acquires: {}, abortsIn: 'acquire' },
  { ...INCOMPLETE, acquires: {}, abortsIn: 'retry' },
  { ...READY, opens: MISSING, acquires: {}, retries: MISSING, abortsIn: 'retry' },
];

export async function isHelped(agent: Agent): Promise<void> {
  // Of a lease that no provider is named for, none is ever complete.
  const courses = agent.environment.provider
    ? COURSES
    : COURSES.filter(({ shape }) => shape === 'non_plugin');
  await new Helped(agent, agent.random.pick(courses)).run();
}

class Helped {
  readonly #controller = new AbortController();
  /** All calls, among them those that go on when the caller has given up. */
  readonly #calls: Promise<unknown>[] = [];
  readonly #opened = new Map<Channel, Done>();
  readonly #thrown = new Set<unknown>();
  /** The open that failed last. */
  #failed: Started = {};
  #hasTried = false;
  #hasFallenBack = false;

  constructor(
    private readonly agent: Agent,
    private readonly course: Course,
  ) {}

  async run(): Promise<void> {
    const { executes, acquires, shape } = this.course;
    const lease = this.agent.lease(shape);
    const { signal } = this.#controller;
    const done = await openDuplexChannelWithRecovery<Lease, Channel, unknown>({
      lease,
      open: (on) => this.#track(this.#open(on, on !== lease)),
      execute: executes && ((on) => this.#track(this.#execute(on, executes))),
      acquire: acquires && (() => this.#track(this.#acquire(acquires))),
      signal,
    }).catch((error: unknown) => {
      if (error !== signal.reason && !this.#thrown.has(error)) throw error;
      return undefined;
    });
    this.#enter(done?.via);
    if (done?.via === 'channel') {
      const { channel } = done;
      await use(this.agent, { ...this.#opened.get(channel), channel });
    }
    await Promise.allSettled(this.#calls);
  }

  /** What is counted at the end: the request, unless it was a fallback, and the re-acquire. */
  #enter(via: string | undefined): void {
    const { agent, course } = this;
    if (!agent.world.isOn) return;
    if (via === 'channel') agent.request('opened');
    else if (!this.#hasFallenBack && course.abortsIn) agent.request('cancelled');
    else if (!this.#hasFallenBack) agent.request('failed', failureOf(course)?.errorType);
    if (isReacquire(course)) agent.reacquire(reacquireOf(course));
  }

  async #open(lease: Lease, isRetry: boolean): Promise<Channel> {
    const { agent, course } = this;
    const step = isRetry ? 'retry' : 'open';
    const fails = isRetry ? course.retries : course.opens;
    this.#hasTried = true;
    const recovery = isRetry ? this.#recovery('reacquire') : undefined;
    const done = await agent.open(lease, fails, { recovery, ...this.#work(step) });
    if (fails) {
      if (done.call !== undefined) this.#failed = done;
      return this.#throw(done);
    }
    // It is closed, for nobody waits for it.
    if (course.abortsIn === step) ended(agent, done, 'closed');
    this.#opened.set(done.channel, done);
    return done.channel;
  }

  async #execute(lease: Lease, { fails }: Step): Promise<unknown> {
    const { agent } = this;
    this.#hasFallenBack = true;
    const reason = TAG_UNSUPPORTED_DRIVER_OPERATION;
    if (agent.world.isOn) agent.request('fallback', this.#hasTried ? reason : undefined, reason);
    const recovery = this.#recovery('fallback');
    const done = await agent.call('execute', { lease, fails, recovery, ...this.#work('execute') });
    return fails ? this.#throw(done) : done;
  }

  async #acquire({ fails }: Step): Promise<Lease> {
    const lease = this.agent.lease('plugin_complete');
    const recovery = this.#recovery('reacquire');
    const done = await acquire(this.agent, lease, { fails, recovery, ...this.#work('acquire') });
    return fails ? this.#throw(done) : lease;
  }

  #recovery(kind: RecoveryKind): Plan['recovery'] {
    return { kind, from: this.#failed.call };
  }

  /** The caller gives up while the step is under way, which it goes on to be. */
  #work(step: Course['abortsIn']): Plan {
    if (step !== this.course.abortsIn) return {};
    const work = async () => {
      await this.agent.think();
      this.#controller.abort(ABORTED.make());
      await this.agent.think();
    };
    return { work };
  }

  #throw({ error }: Done): never {
    this.#thrown.add(error);
    throw error;
  }

  #track<T>(call: Promise<T>): Promise<T> {
    this.#calls.push(call);
    return call;
  }
}

/** What the request has failed with: the latest open, or, where none was tried, what else went wrong. */
function failureOf({ opens, acquires, retries }: Course): Fault | undefined {
  return retries ?? opens ?? acquires?.fails;
}

function isReacquire({ shape, opens, acquires }: Course): boolean {
  return acquires !== undefined && (shape === 'plugin_incomplete' || opens === MISSING);
}

function reacquireOf({ abortsIn, acquires, retries }: Course): ReacquireOutcome {
  if (abortsIn === 'acquire') return 'not_attempted';
  if (abortsIn === 'retry') return 'not_retried';
  if (acquires?.fails) return 'acquire_failed';
  if (retries === undefined) return 'succeeded';
  return retries === MISSING ? 'still_incomplete' : 'operation_failed';
}
