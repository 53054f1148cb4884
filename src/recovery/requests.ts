/** Duplex requests that were refused and may still end in a fallback. */
import { Fifo } from './fifo.js';

/** A refused open. */
export interface PendingRequest<Ref> {
  readonly provider?: string | undefined;
  readonly leaseId?: string | undefined;
  readonly errorType: string;
  /** When it was refused, and until when a fallback counts as its own. */
  readonly since: number;
  readonly deadline: number;
  readonly ref: Ref;
  /** False where somebody else counts it and only the link to the failure is of use. */
  readonly isCounted: boolean;
}

export class PendingRequests<Ref> {
  /** In the order of their deadlines, which is that of their refusals. */
  readonly #queue = new Fifo<PendingRequest<Ref>>();
  readonly #byLease = new Map<string, Fifo<PendingRequest<Ref>>>();

  get size(): number {
    return this.#queue.size;
  }

  get oldest(): PendingRequest<Ref> | undefined {
    return this.#queue.first;
  }

  add(request: PendingRequest<Ref>): void {
    this.#queue.add(request);
    if (request.leaseId === undefined) return;
    const ofLease = this.#byLease.get(request.leaseId) ?? new Fifo();
    ofLease.add(request);
    this.#byLease.set(request.leaseId, ofLease);
  }

  /** The longest pending request on the lease. */
  onLease(leaseId: string): PendingRequest<Ref> | undefined {
    return this.#byLease.get(leaseId)?.first;
  }

  /** @returns whether it was pending */
  remove(request: PendingRequest<Ref>): boolean {
    if (!this.#queue.delete(request)) return false;
    if (request.leaseId === undefined) return true;
    const ofLease = this.#byLease.get(request.leaseId);
    ofLease?.delete(request);
    if (ofLease?.size === 0) this.#byLease.delete(request.leaseId);
    return true;
  }
}
