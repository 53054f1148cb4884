/** Tells the recovery tracker of operations, and lets windows pass when metrics are collected. */
import type { Meter } from '@opentelemetry/api';
import type { LeaseFacts, Subject } from '../lease/subject.js';
import { type RequestScope, shared } from '../operations/shared.js';
import type { OutcomeListener, Recovery, RecoveryLimits } from '../recovery/outcomes.js';
import { RecoveryTracker } from '../recovery/tracker.js';
import type { OperationName, RecoveryKind } from '../semconv.js';
import { attempt, drop } from './faults.js';
import type { FailureRef } from './links.js';

/** One operation's part in recoveries. */
export interface OperationRecovery {
  /** What the operation recovers from, if it does. */
  readonly recovery?: Recovery<FailureRef> | undefined;
  /** @param errorType absent on success */
  end(errorType: string | undefined, acquired: LeaseFacts | undefined, ref: FailureRef): void;
}

export class Recoveries {
  readonly #tracker: RecoveryTracker<FailureRef>;

  constructor(limits: RecoveryLimits, listener: OutcomeListener) {
    this.#tracker = new RecoveryTracker(limits, listener);
  }

  setLimits(limits: RecoveryLimits): void {
    this.#tracker.limits = limits;
  }

  start(operation: OperationName, subject: Subject): OperationRecovery {
    const scope = shared.requestScopes.getStore();
    const isCountedElsewhere = scope !== undefined && !scope.isOver;
    if (isCountedElsewhere && scope.steps !== undefined) return stepOf(operation, scope.steps);
    const call = {
      operation,
      environmentId: subject.environmentId,
      leaseId: subject.lease?.id,
      owner: subject.owner,
      provider: subject.provider,
      isCountedElsewhere,
    };
    const tracked = this.#tracker.start(call, performance.now());
    return {
      recovery: tracked.recovery,
      end: (errorType, acquired, ref) => {
        if (isCountedElsewhere && operation === 'open_duplex_channel') scope.errorType = errorType;
        this.#tracker.end(tracked, { errorType, acquiredLeaseId: acquired?.id, ref }, performance.now());
      },
    };
  }

  /**
   * Reports windows that have passed whenever this meter is collected, however idle the host is. The
   * instrument has a callback for that alone: it never observes a value, so nothing is exported for it.
   */
  observe(meter: Meter): void {
    const advance = () => {
      attempt('recording a metric failed', () => this.#tracker.advance(performance.now()));
    };
    const gauge = meter.createObservableGauge('paperclip.recovery.windows');
    drop('following a recovery failed', gauge.addCallback(advance));
  }

  /** Reports everything that is pending. */
  settle(): void {
    attempt('recording a metric failed', () => this.#tracker.settle(performance.now()));
  }
}

/** Which operations are a recovery's own steps; what else happens inside it is not. */
const STEPS: Record<RecoveryKind, readonly OperationName[]> = {
  fallback: ['execute'],
  reacquire: ['acquire_run_lease', 'open_duplex_channel'],
};

/** An operation inside a recovery that somebody else follows: it has its link, and is not counted. */
function stepOf(operation: OperationName, steps: NonNullable<RequestScope['steps']>): OperationRecovery {
  const { recoveryKind: kind, failure } = steps;
  return {
    recovery: kind !== undefined && STEPS[kind].includes(operation) ? { kind, from: failure } : undefined,
    end(errorType, _acquired, ref) {
      if (errorType !== undefined && operation === 'open_duplex_channel') steps.failure = ref;
    },
  };
}
