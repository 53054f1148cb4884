/**
 * What happened, kept in the plainest way: lists that are searched from end to end, and outcomes decided by the
 * sentences of `docs/semantic-conventions.md`. The tracker is held against it.
 */
import type { Call } from '../../src/recovery/outcomes.js';

export const MISSING = 'missing-metadata-field';

/** What a fresh lease cures, as the conventions list it. */
const CURED = [
  'execute sync_in sync_out open_duplex_channel realize_workspace',
  'get_runner_ingress_endpoint resume_run_lease',
].flatMap((names) => names.split(' '));

export interface LedgerRequest {
  readonly lease: string | undefined;
  readonly errorType: string;
  /** What it is counted as if no fallback follows. */
  readonly otherwise: string;
  readonly since: number;
  readonly ref: number | undefined;
  readonly isCounted: boolean;
  /** When its window began; none while it waits for an episode. */
  waitsSince: number | undefined;
  isOpen: boolean;
}

interface LedgerEpisode {
  readonly since: number;
  readonly call: Call;
  readonly failures: [operation: string, ref: number][];
  readonly fresh: string[];
  request: LedgerRequest | undefined;
  isAcquired: boolean;
  waitsSince: number;
  underWay: number;
  isOpen: boolean;
}

/** A call under way. */
export interface LedgerCall {
  readonly call: Call;
  readonly recovery: [kind: string, from: number | undefined] | undefined;
  readonly episode: LedgerEpisode | undefined;
  readonly request: LedgerRequest | undefined;
}

export class Ledger {
  /** One line for each outcome, in no particular order. */
  readonly outcomes: string[] = [];
  readonly #requests: LedgerRequest[] = [];
  readonly #episodes: LedgerEpisode[] = [];

  constructor(
    private readonly fallbackWindow: number,
    private readonly reacquireWindow: number,
    private readonly limit: number,
  ) {}

  start(call: Call, now: number): LedgerCall {
    this.expire(now);
    let recovery: LedgerCall['recovery'];
    if (call.operation === 'execute') {
      const refused = this.#openRequests().find(({ lease }) => lease !== undefined && lease === call.leaseId);
      if (refused) {
        recovery = ['fallback', refused.ref];
        this.#closeRequest(refused, `fallback ${refused.errorType}`);
      }
    }
    const episode = this.#openEpisodes()
      .reverse()
      .find((candidate) =>
        call.operation === 'acquire_run_lease'
          ? isSameOwner(candidate.call, call)
          : isRetry(candidate, call) && this.#freshFor(call.leaseId) === candidate,
      );
    if (episode === undefined) return { call, recovery, episode, request: undefined };
    episode.underWay += 1;
    const failure =
      episode.failures.find(([operation]) => operation === call.operation) ?? episode.failures[0];
    recovery ??= failure && ['reacquire', failure[1]];
    const carried =
      call.operation === 'open_duplex_channel' && episode.request?.isOpen ? episode.request : undefined;
    if (carried) carried.isOpen = false;
    return { call, recovery, episode, request: carried };
  }

  end(
    started: LedgerCall,
    errorType: string | undefined,
    leaseId: string | undefined,
    ref: number,
    now: number,
  ) {
    this.expire(now);
    const { call, episode } = started;
    if (episode) {
      if (call.operation === 'acquire_run_lease' && errorType === undefined) {
        episode.isAcquired = true;
        if (leaseId !== undefined && episode.fresh.length < 8 && episode.isOpen) {
          episode.fresh.push(leaseId);
          this.#lastFresh.set(leaseId, episode);
        }
      } else if (call.operation === 'acquire_run_lease') this.#closeEpisode(episode, 'acquire_failed', now);
      else if (errorType === undefined) this.#closeEpisode(episode, 'succeeded', now);
      else this.#closeEpisode(episode, errorType === MISSING ? 'still_incomplete' : 'operation_failed', now);
      episode.underWay -= 1;
      if (episode.underWay === 0) episode.waitsSince = now;
    }
    let request: LedgerRequest | undefined;
    if (call.operation === 'open_duplex_channel') {
      const isCounted = !call.isCountedElsewhere && (started.request?.isCounted ?? true);
      if (errorType === undefined) {
        if (isCounted) this.outcomes.push('request opened');
      } else {
        request = {
          lease: call.leaseId,
          errorType,
          otherwise: 'failed',
          since: now,
          waitsSince: now,
          ref,
          isCounted,
          isOpen: true,
        };
        this.#requests.push(request);
      }
    }
    if (errorType === MISSING && CURED.includes(call.operation)) this.#fail(call, ref, request, now);
    while (this.size > this.limit) this.#dropOldest(now);
  }

  /** A fallback that is reported before its work begins. */
  announce(reason: string, now: number): LedgerRequest {
    this.expire(now);
    const request: LedgerRequest = {
      lease: undefined,
      errorType: reason,
      otherwise: 'cancelled',
      since: now,
      ref: undefined,
      isCounted: true,
      waitsSince: now,
      isOpen: true,
    };
    this.#requests.push(request);
    while (this.size > this.limit) this.#dropOldest(now);
    return request;
  }

  /** The work of such a fallback begins. */
  goOn(announced: LedgerRequest): void {
    if (announced.isOpen) this.#closeRequest(announced, `fallback ${announced.errorType}`);
  }

  expire(now: number): void {
    for (const episode of this.#openEpisodes()) {
      const end = episode.waitsSince + this.reacquireWindow;
      if (episode.underWay === 0 && now > end) this.#giveUp(episode, end);
    }
    for (const request of this.#openRequests()) {
      if (request.waitsSince !== undefined && now > request.waitsSince + this.fallbackWindow)
        this.#closeRequest(request, request.otherwise);
    }
  }

  settle(now: number): void {
    this.expire(now);
    while (this.size > 0) this.#dropOldest(now);
  }

  get size(): number {
    return this.#openRequests().length + this.#openEpisodes().length;
  }

  /** A lease that two episodes acquired belongs to the later one. */
  readonly #lastFresh = new Map<string, LedgerEpisode>();
  #freshFor(leaseId: string | undefined): LedgerEpisode | undefined {
    return leaseId === undefined ? undefined : this.#lastFresh.get(leaseId);
  }

  #openRequests(): LedgerRequest[] {
    return this.#requests.filter(({ isOpen }) => isOpen);
  }

  #openEpisodes(): LedgerEpisode[] {
    return this.#episodes.filter(({ isOpen }) => isOpen);
  }

  #fail(call: Call, ref: number, request: LedgerRequest | undefined, now: number): void {
    const joined = this.#openEpisodes()
      .reverse()
      .find((candidate) => isSameOwner(candidate.call, call));
    const episode = joined ?? {
      since: now,
      call,
      failures: [],
      fresh: [],
      request: undefined,
      isAcquired: false,
      waitsSince: now,
      underWay: 0,
      isOpen: true,
    };
    const known = episode.failures.find(([operation]) => operation === call.operation);
    if (known) known[1] = ref;
    else episode.failures.push([call.operation, ref]);
    if (request) {
      // Of several, the latest is the one that the episode's retry carries on.
      if (episode.request) episode.request.waitsSince = now;
      request.waitsSince = undefined;
      episode.request = request;
    }
    if (!joined) this.#episodes.push(episode);
  }

  #dropOldest(now: number): void {
    const [request] = this.#openRequests();
    const [episode] = this.#openEpisodes();
    if (request && (!episode || request.since <= episode.since))
      this.#closeRequest(request, request.otherwise);
    else if (episode) this.#giveUp(episode, now);
  }

  #giveUp(episode: LedgerEpisode, at: number): void {
    this.#closeEpisode(episode, episode.isAcquired ? 'not_retried' : 'not_attempted', at);
  }

  #closeRequest(request: LedgerRequest, outcome: string): void {
    request.isOpen = false;
    if (request.isCounted) this.outcomes.push(`request ${outcome}`);
  }

  #closeEpisode(episode: LedgerEpisode, outcome: string, at: number): void {
    if (!episode.isOpen) return;
    episode.isOpen = false;
    if (episode.request) episode.request.waitsSince = at;
    this.outcomes.push(`reacquire ${outcome} after ${at - episode.since}`);
  }
}

function isRetry({ fresh, failures }: LedgerEpisode, { operation, leaseId }: Call): boolean {
  return (
    leaseId !== undefined && fresh.includes(leaseId) && failures.some(([failed]) => failed === operation)
  );
}

/**
 * They share the heartbeat run or the issue. The workspace, and then the company, decide only where the calls name
 * neither.
 */
export function isSameOwner(a: Call, b: Call): boolean {
  if (a.environmentId !== b.environmentId) return false;
  const shared = (name: keyof Call['owner']) =>
    a.owner[name] !== undefined && a.owner[name] === b.owner[name];
  if (shared('runId') || shared('issueId')) return true;
  const namesNone = (...names: (keyof Call['owner'])[]) =>
    names.every((name) => a.owner[name] === undefined && b.owner[name] === undefined);
  if (!namesNone('runId', 'issueId')) return false;
  return shared('workspaceId') || (namesNone('workspaceId') && shared('companyId'));
}
