/**
 * Follows lease operations and says which of them recover from an earlier failure, and how that ended;
 * `docs/semantic-conventions.md`, "What counts as a duplex request" and "What counts as a re-acquire".
 *
 * A state machine without telemetry and timers: windows pass when it is told a later time. It reports each outcome
 * once.
 */
import {
  type DuplexOutcome,
  type OperationName,
  type ReacquireOutcome,
  TAG_MISSING_METADATA_FIELD,
} from '../semconv.js';
import { type Episode, Episodes } from './episodes.js';
import type {
  AnnouncedFallback,
  Call,
  CallEnd,
  OutcomeListener,
  Recovery,
  RecoveryLimits,
} from './outcomes.js';
import { ownerKeys } from './owner.js';
import { type PendingRequest, PendingRequests } from './requests.js';

/** A call that was started. The caller hands it back when the call ends. */
export interface TrackedCall<Ref> {
  readonly call: Call;
  /** What the call recovers from, if it does. */
  readonly recovery?: Recovery<Ref> | undefined;
  /** The episode that this call is a step of. */
  readonly episode?: Episode<Ref> | undefined;
  /** The earlier duplex request that this call carries on. The call is then not a request of its own. */
  readonly request?: PendingRequest<Ref> | undefined;
}

/** Operations that a fresh lease can cure. Teardowns are not among them: nobody repeats one on another lease. */
const CURABLE: ReadonlySet<OperationName> = new Set<OperationName>([
  'execute',
  'sync_in',
  'sync_out',
  'open_duplex_channel',
  'realize_workspace',
  'get_runner_ingress_endpoint',
  'resume_run_lease',
]);

export class RecoveryTracker<Ref> {
  readonly #requests = new PendingRequests<Ref>();
  readonly #episodes = new Episodes<Ref>();
  #episodeCount = 0;

  constructor(
    public limits: RecoveryLimits,
    private readonly listener: OutcomeListener,
  ) {}

  /** How many requests and episodes are tracked. */
  get size(): number {
    return this.#requests.size + this.#episodes.size;
  }

  start(call: Call, now: number): TrackedCall<Ref> {
    this.advance(now);
    const fallback = this.#takeFallback(call);
    const episode = this.#episodeOfStep(call);
    if (episode === undefined) return { call, recovery: fallback };
    this.#episodes.beginStep(episode);
    const failure = episode.failures.get(call.operation) ?? [...episode.failures.values()][0];
    const reacquire = failure === undefined ? undefined : ({ kind: 'reacquire', from: failure } as const);
    return { call, recovery: fallback ?? reacquire, episode, request: this.#carryOn(call, episode) };
  }

  end(tracked: TrackedCall<Ref>, end: CallEnd<Ref>, now: number): void {
    this.advance(now);
    if (tracked.episode !== undefined) this.#endStep(tracked.call, tracked.episode, end, now);
    const request = this.#endRequest(tracked, end, now);
    if (end.errorType === TAG_MISSING_METADATA_FIELD && CURABLE.has(tracked.call.operation))
      this.#fail(tracked.call, end.ref, request, now);
    this.#keepLimit(now);
  }

  /**
   * Follows a fallback that is reported before its work begins. It counts as a fallback when the work begins. Where none
   * begins in the window, the run was stopped, and the request is cancelled.
   *
   * @returns what to call when the work begins
   */
  announce(fallback: AnnouncedFallback, now: number): () => void {
    this.advance(now);
    const { fallbackWindowMs } = this.limits;
    const request: PendingRequest<Ref> = {
      ...fallback,
      otherwise: 'cancelled',
      since: now,
      deadline: now + fallbackWindowMs,
      isCounted: true,
    };
    this.#requests.add(request);
    this.#keepLimit(now);
    return () => {
      if (this.#requests.remove(request)) this.#reportRequest(request, 'fallback');
    };
  }

  /** Ends a call of which nobody can say whether it failed: it decides nothing. */
  abandon({ episode }: TrackedCall<Ref>, now: number): void {
    this.advance(now);
    if (episode !== undefined) this.#episodes.endStep(episode, now + this.limits.reacquireWindowMs);
  }

  /** Settles what was not recovered in its window. A window includes its end. */
  advance(now: number): void {
    // The end of an episode begins the window of its request, which may have passed as well.
    for (let due = this.#episodes.next; due && due.deadline < now; due = this.#episodes.next) {
      this.#giveUp(due, due.deadline);
    }
    for (let due = this.#requests.next; due && due.deadline < now; due = this.#requests.next) {
      this.#giveUpRequest(due);
    }
  }

  /** Reports everything that is pending as if its window had passed. */
  settle(now: number): void {
    this.advance(now);
    while (this.size > 0) this.#evictOldest(now);
  }

  /** An `execute` after a refused open on the same lease is its fallback. Each is the fallback of one request. */
  #takeFallback(call: Call): Recovery<Ref> | undefined {
    if (call.operation !== 'execute' || call.leaseId === undefined) return undefined;
    const request = this.#requests.onLease(call.leaseId);
    if (request === undefined) return undefined;
    this.#requests.remove(request);
    this.#reportRequest(request, 'fallback');
    return { kind: 'fallback', from: request.ref };
  }

  #episodeOfStep({ operation, environmentId, owner, leaseId }: Call): Episode<Ref> | undefined {
    if (operation === 'acquire_run_lease') return this.#episodes.ofOwner(ownerKeys(environmentId, owner));
    return leaseId === undefined ? undefined : this.#episodes.retriedBy(operation, leaseId);
  }

  #carryOn(call: Call, { request }: Episode<Ref>): PendingRequest<Ref> | undefined {
    if (call.operation !== 'open_duplex_channel' || request === undefined) return undefined;
    return this.#requests.remove(request) ? request : undefined;
  }

  #endStep(call: Call, episode: Episode<Ref>, end: CallEnd<Ref>, now: number): void {
    const isAcquire = call.operation === 'acquire_run_lease';
    if (isAcquire && end.errorType === undefined) this.#episodes.acquired(episode, end.acquiredLeaseId);
    else this.#endEpisode(episode, isAcquire ? 'acquire_failed' : outcomeOfRetry(end.errorType), now);
    this.#episodes.endStep(episode, now + this.limits.reacquireWindowMs);
  }

  #endRequest(tracked: TrackedCall<Ref>, end: CallEnd<Ref>, now: number): PendingRequest<Ref> | undefined {
    const { call, request: earlier } = tracked;
    if (call.operation !== 'open_duplex_channel') return undefined;
    const isCounted = (earlier?.isCounted ?? true) && call.isCountedElsewhere !== true;
    if (end.errorType === undefined) {
      if (isCounted) this.listener.onRequest({ provider: call.provider, outcome: 'opened' });
      return undefined;
    }
    const request: PendingRequest<Ref> = {
      provider: call.provider,
      leaseId: call.leaseId,
      reason: end.errorType,
      errorType: end.errorType,
      otherwise: 'failed',
      since: now,
      deadline: now + this.limits.fallbackWindowMs,
      ref: end.ref,
      isCounted,
    };
    this.#requests.add(request);
    return request;
  }

  /** A failure because metadata is missing joins the open episode of its owner, or begins one. */
  #fail(call: Call, ref: Ref, request: PendingRequest<Ref> | undefined, now: number): void {
    const keys = ownerKeys(call.environmentId, call.owner);
    const joined = this.#episodes.ofOwner(keys);
    const episode: Episode<Ref> = joined ?? {
      provider: call.provider,
      since: now,
      number: this.#episodeCount,
      ownerKeys: keys,
      failures: new Map(),
      freshLeases: new Set(),
      isAcquired: false,
      underWay: 0,
      deadline: now + this.limits.reacquireWindowMs,
    };
    episode.failures.set(call.operation, ref);
    if (request !== undefined) this.#await(episode, request, now);
    if (joined !== undefined) return;
    this.#episodeCount += 1;
    this.#episodes.add(episode);
  }

  /** The request is pending as long as the episode is: its re-acquire may take longer than the window of a fallback. */
  #await(episode: Episode<Ref>, request: PendingRequest<Ref>, now: number): void {
    this.#letGo(episode, now);
    this.#requests.hold(request);
    episode.request = request;
  }

  #letGo({ request }: Episode<Ref>, now: number): void {
    if (request !== undefined) this.#requests.release(request, now + this.limits.fallbackWindowMs);
  }

  #keepLimit(now: number): void {
    while (this.size > this.limits.maxTrackedRecoveries) this.#evictOldest(now);
  }

  #evictOldest(now: number): void {
    const request = this.#requests.oldest;
    const episode = this.#episodes.oldest;
    if (request !== undefined && (episode === undefined || request.since <= episode.since)) {
      this.#giveUpRequest(request);
    } else if (episode !== undefined) {
      this.#giveUp(episode, now);
    }
  }

  #giveUpRequest(request: PendingRequest<Ref>): void {
    this.#requests.remove(request);
    this.#reportRequest(request, request.otherwise);
  }

  #reportRequest(request: PendingRequest<Ref>, outcome: DuplexOutcome): void {
    if (!request.isCounted) return;
    const { provider } = request;
    const reason = outcome === 'fallback' ? request.reason : undefined;
    const errorType = outcome === 'cancelled' ? undefined : request.errorType;
    this.listener.onRequest({ provider, outcome, reason, errorType });
  }

  #giveUp(episode: Episode<Ref>, at: number): void {
    this.#endEpisode(episode, episode.isAcquired ? 'not_retried' : 'not_attempted', at);
  }

  #endEpisode(episode: Episode<Ref>, outcome: ReacquireOutcome, at: number): void {
    if (!this.#episodes.remove(episode)) return;
    this.#letGo(episode, at);
    this.listener.onReacquire({ provider: episode.provider, outcome, duration: at - episode.since });
  }
}

function outcomeOfRetry(errorType: string | undefined): ReacquireOutcome {
  if (errorType === undefined) return 'succeeded';
  return errorType === TAG_MISSING_METADATA_FIELD ? 'still_incomplete' : 'operation_failed';
}
