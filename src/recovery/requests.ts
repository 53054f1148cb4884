/** Duplex requests that may still end in a fallback. */
import { Fifo } from './fifo.js';

/** A refused open, or a fallback that was announced and whose work has not begun. */
export interface PendingRequest<Ref> {
  readonly provider?: string | undefined;
  /** The lease of the refused open. Absent for an announced fallback: other work on its lease says nothing about it. */
  readonly leaseId?: string | undefined;
  /** Why the caller falls back, if it does. */
  readonly reason?: string | undefined;
  readonly errorType?: string | undefined;
  /** How it ends if no fallback follows. */
  readonly otherwise: 'failed' | 'cancelled';
  /** When it was refused or announced. */
  readonly since: number;
  /** Until when a fallback counts as its own. */
  deadline: number;
  /** The failure that a fallback recovers from. */
  readonly ref?: Ref | undefined;
  /** False where somebody else counts it and only the link to the failure is of use. */
  readonly isCounted: boolean;
}

export class PendingRequests<Ref> {
  /** In the order in which they came. */
  readonly #pending = new Fifo<PendingRequest<Ref>>();
  /** Those whose window passes, in the order of their deadlines. */
  readonly #waiting = new Fifo<PendingRequest<Ref>>();
  readonly #byLease = new Map<string, Fifo<PendingRequest<Ref>>>();

  get size(): number {
    return this.#pending.size;
  }

  get oldest(): PendingRequest<Ref> | undefined {
    return this.#pending.first;
  }

  /** The one whose deadline is next. */
  get next(): PendingRequest<Ref> | undefined {
    return this.#waiting.first;
  }

  add(request: PendingRequest<Ref>): void {
    this.#pending.add(request);
    this.#waiting.add(request);
    if (request.leaseId === undefined) return;
    const ofLease = this.#byLease.get(request.leaseId) ?? new Fifo();
    ofLease.add(request);
    this.#byLease.set(request.leaseId, ofLease);
  }

  /** Its window does not pass from now on. */
  hold(request: PendingRequest<Ref>): void {
    this.#waiting.delete(request);
  }

  /** Its window begins again, unless it has ended meanwhile. */
  release(request: PendingRequest<Ref>, deadline: number): void {
    if (!this.#pending.has(request)) return;
    request.deadline = deadline;
    this.#waiting.add(request);
  }

  /** The longest pending request on the lease. */
  onLease(leaseId: string): PendingRequest<Ref> | undefined {
    return this.#byLease.get(leaseId)?.first;
  }

  /** @returns whether it was pending */
  remove(request: PendingRequest<Ref>): boolean {
    if (!this.#pending.delete(request)) return false;
    this.#waiting.delete(request);
    if (request.leaseId === undefined) return true;
    const ofLease = this.#byLease.get(request.leaseId);
    ofLease?.delete(request);
    if (ofLease?.size === 0) this.#byLease.delete(request.leaseId);
    return true;
  }
}
