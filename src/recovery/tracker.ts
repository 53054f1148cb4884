/**
 * Follows lease operations and says which of them recover from an earlier failure, and how that ended;
 * `docs/semantic-conventions.md`, "What counts as a duplex request" and "What counts as a re-acquire".
 *
 * A state machine over what it is told. It knows neither telemetry nor timers: windows pass when it is told a
 * later time. What it reports, it reports once.
 */
import { type ReacquireOutcome, TAG_MISSING_METADATA_FIELD } from '../semconv.js';
import { type Episode, Episodes } from './episodes.js';
import type { Call, CallEnd, OutcomeListener, Recovery, RecoveryLimits } from './outcomes.js';
import { ownerKeys } from './owner.js';
import { type PendingRequest, PendingRequests } from './requests.js';

/** A call that was started; handed back when it ends. */
export interface TrackedCall<Ref> {
  readonly call: Call;
  /** What the call recovers from, if it does. */
  readonly recovery?: Recovery<Ref> | undefined;
  /** The episode that this call is a step of. */
  readonly episode?: Episode<Ref> | undefined;
  /** The duplex request that this call carries on, which is therefore no request of its own. */
  readonly request?: PendingRequest<Ref> | undefined;
}

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
    if (end.errorType === TAG_MISSING_METADATA_FIELD) this.#fail(tracked.call, end.ref, request, now);
    while (this.size > this.limits.maxTrackedRecoveries) this.#evictOldest(now);
  }

  /** Ends a call of which nobody can say whether it failed: it decides nothing. */
  abandon({ episode }: TrackedCall<Ref>, now: number): void {
    this.advance(now);
    if (episode !== undefined) this.#episodes.endStep(episode, now + this.limits.reacquireWindowMs);
  }

  /** Reports what has not happened in its window. A window includes its end. */
  advance(now: number): void {
    for (let due = this.#requests.oldest; due && due.deadline < now; due = this.#requests.oldest) {
      this.#failRequest(due);
    }
    for (let due = this.#episodes.next; due && due.deadline < now; due = this.#episodes.next) {
      this.#giveUp(due, due.deadline);
    }
  }

  /** Reports everything that is pending as if its window had passed. */
  settle(now: number): void {
    this.advance(now);
    while (this.size > 0) this.#evictOldest(now);
  }

  /** An `execute` after a refused open on the same lease is its fallback: each of one request. */
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
      errorType: end.errorType,
      since: now,
      deadline: now + this.limits.fallbackWindowMs,
      ref: end.ref,
      isCounted,
    };
    this.#requests.add(request);
    return request;
  }

  /** A failure for want of metadata joins the open episode of its owner, or begins one. */
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
    if (request !== undefined) episode.request = request;
    if (joined !== undefined) return;
    this.#episodeCount += 1;
    this.#episodes.add(episode);
  }

  #evictOldest(now: number): void {
    const request = this.#requests.oldest;
    const episode = this.#episodes.oldest;
    if (request !== undefined && (episode === undefined || request.since <= episode.since)) {
      this.#failRequest(request);
    } else if (episode !== undefined) {
      this.#giveUp(episode, now);
    }
  }

  #failRequest(request: PendingRequest<Ref>): void {
    this.#requests.remove(request);
    this.#reportRequest(request, 'failed');
  }

  #reportRequest(request: PendingRequest<Ref>, outcome: 'fallback' | 'failed'): void {
    const { provider, errorType, isCounted } = request;
    const reason = outcome === 'fallback' ? errorType : undefined;
    if (isCounted) this.listener.onRequest({ provider, outcome, reason, errorType });
  }

  #giveUp(episode: Episode<Ref>, at: number): void {
    this.#endEpisode(episode, episode.isAcquired ? 'not_retried' : 'not_attempted', at);
  }

  #endEpisode(episode: Episode<Ref>, outcome: ReacquireOutcome, at: number): void {
    if (!this.#episodes.remove(episode)) return;
    this.listener.onReacquire({ provider: episode.provider, outcome, duration: at - episode.since });
  }
}

function outcomeOfRetry(errorType: string | undefined): ReacquireOutcome {
  if (errorType === undefined) return 'succeeded';
  return errorType === TAG_MISSING_METADATA_FIELD ? 'still_incomplete' : 'operation_failed';
}
