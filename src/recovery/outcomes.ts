/** What the tracker is told about calls, and what it reports. `Ref` stands for a failure that spans link to. */
import type { Owner } from '../lease/subject.js';
import type { DuplexOutcome, OperationName, ReacquireOutcome, RecoveryKind } from '../semconv.js';

/** A lease operation as it starts. Times are milliseconds of one monotonic clock. */
export interface Call {
  readonly operation: OperationName;
  readonly environmentId?: string | undefined;
  readonly leaseId?: string | undefined;
  readonly owner: Owner;
  readonly provider?: string | undefined;
  /** Whether somebody else counts the duplex request that this call may be. */
  readonly isCountedElsewhere?: boolean | undefined;
}

/** How a lease operation ended. */
export interface CallEnd<Ref> {
  /** Absent on success. */
  readonly errorType?: string | undefined;
  /** Id of the lease that a successful acquire returned. */
  readonly acquiredLeaseId?: string | undefined;
  /** Stands for this call where others recover from its failure. */
  readonly ref: Ref;
}

/** Which earlier failure a call recovers from, and how. */
export interface Recovery<Ref> {
  readonly kind: RecoveryKind;
  readonly from: Ref | undefined;
}

/** One duplex request has ended. */
export interface RequestOutcome {
  readonly provider?: string | undefined;
  readonly outcome: DuplexOutcome;
  /** Why the caller fell back: as Paperclip says, else the `error.type` of the refused open. */
  readonly reason?: string | undefined;
  /** The `error.type` of the refused open. */
  readonly errorType?: string | undefined;
}

/** A fallback that is reported before its work begins. */
export type AnnouncedFallback = Pick<RequestOutcome, 'provider' | 'reason' | 'errorType'>;

/** One re-acquire has ended. */
export interface ReacquireResult {
  readonly provider?: string | undefined;
  readonly outcome: ReacquireOutcome;
  /** Milliseconds from the failure to the outcome. */
  readonly duration: number;
}

/** Receives outcomes, each once. */
export interface OutcomeListener {
  onRequest(outcome: RequestOutcome): void;
  onReacquire(result: ReacquireResult): void;
}

/** Windows in milliseconds, and the most requests and episodes that are tracked. */
export interface RecoveryLimits {
  readonly fallbackWindowMs: number;
  readonly reacquireWindowMs: number;
  readonly maxTrackedRecoveries: number;
}
