/** Episodes of a lease that lacked metadata: from the failure to the outcome of the re-acquire. */
import type { OperationName } from '../semconv.js';
import { Fifo } from './fifo.js';
import type { PendingRequest } from './requests.js';

export interface Episode<Ref> {
  readonly provider?: string | undefined;
  readonly since: number;
  /** Which episode it is, counted from the first. */
  readonly number: number;
  readonly ownerKeys: readonly string[];
  /** The operations that failed because metadata is missing, and the latest failure of each. */
  readonly failures: Map<OperationName, Ref>;
  /** Leases that were acquired since. */
  readonly freshLeases: Set<string>;
  /** The latest duplex request among the failures. A retried open carries it on. */
  request?: PendingRequest<Ref> | undefined;
  isAcquired: boolean;
  /** How many acquires and retries are running. */
  underWay: number;
  deadline: number;
}

/** How many fresh leases of one episode are followed. */
const MAX_FRESH_LEASES = 8;

export class Episodes<Ref> {
  /** In the order in which they began. */
  readonly #open = new Fifo<Episode<Ref>>();
  /** Those that wait for something, in the order of their deadlines. */
  readonly #waiting = new Fifo<Episode<Ref>>();
  /** A failure joins the episode of its owner, so a key belongs to at most one open episode. */
  readonly #byOwner = new Map<string, Episode<Ref>>();
  readonly #byFreshLease = new Map<string, Episode<Ref>>();

  get size(): number {
    return this.#open.size;
  }

  get oldest(): Episode<Ref> | undefined {
    return this.#open.first;
  }

  /** The one whose deadline is next. */
  get next(): Episode<Ref> | undefined {
    return this.#waiting.first;
  }

  has(episode: Episode<Ref>): boolean {
    return this.#open.has(episode);
  }

  add(episode: Episode<Ref>): void {
    this.#open.add(episode);
    this.#waiting.add(episode);
    for (const key of episode.ownerKeys) this.#byOwner.set(key, episode);
  }

  /** @returns whether it was open */
  remove(episode: Episode<Ref>): boolean {
    if (!this.#open.delete(episode)) return false;
    this.#waiting.delete(episode);
    for (const key of episode.ownerKeys) forget(this.#byOwner, key, episode);
    for (const leaseId of episode.freshLeases) forget(this.#byFreshLease, leaseId, episode);
    return true;
  }

  /** The newest episode of an owner with one of these keys. */
  ofOwner(ownerKeys: readonly string[]): Episode<Ref> | undefined {
    const found = ownerKeys.flatMap((key) => this.#byOwner.get(key) ?? []);
    return found.reduce<Episode<Ref> | undefined>(
      (newest, episode) => (newest === undefined || episode.number > newest.number ? episode : newest),
      undefined,
    );
  }

  /** The episode whose failed operation is tried again on a fresh lease by this one. */
  retriedBy(operation: OperationName, leaseId: string): Episode<Ref> | undefined {
    const episode = this.#byFreshLease.get(leaseId);
    return episode?.failures.has(operation) ? episode : undefined;
  }

  acquired(episode: Episode<Ref>, leaseId: string | undefined): void {
    if (!this.has(episode)) return;
    episode.isAcquired = true;
    if (leaseId === undefined || episode.freshLeases.size >= MAX_FRESH_LEASES) return;
    episode.freshLeases.add(leaseId);
    this.#byFreshLease.set(leaseId, episode);
  }

  /** The window does not pass while an acquire or a retry runs. */
  beginStep(episode: Episode<Ref>): void {
    episode.underWay += 1;
    this.#waiting.delete(episode);
  }

  endStep(episode: Episode<Ref>, deadline: number): void {
    episode.underWay -= 1;
    if (episode.underWay > 0 || !this.has(episode)) return;
    episode.deadline = deadline;
    this.#waiting.add(episode);
  }
}

function forget<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.get(key) === value) map.delete(key);
}
