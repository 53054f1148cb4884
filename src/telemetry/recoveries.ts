/** Tells the recovery tracker of operations, and lets windows pass when metrics are collected. */
import { type Link, type Meter, type Span, type SpanContext, trace } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { LeaseFacts, Subject } from '../lease/subject.js';
import type { AnnouncedFallback, OutcomeListener, Recovery, RecoveryLimits } from '../recovery/outcomes.js';
import { RecoveryTracker, type TrackedCall } from '../recovery/tracker.js';
import { INSTRUMENT_RECOVERY_WINDOWS, type OperationName, type RecoveryKind } from '../semconv.js';
import { type RequestScope, shared } from '../shared.js';

/** Stands for a failure in the recoveries that follow it: the context of its span. Nothing where no span was recorded. */
export type FailureRef = SpanContext | undefined;

export function linksTo(recovery: Recovery<FailureRef> | undefined): Link[] {
  return recovery?.from === undefined ? [] : [{ context: recovery.from }];
}

export function refOf(span: Span | undefined): FailureRef {
  const context = span?.spanContext();
  return context !== undefined && trace.isSpanContextValid(context) ? context : undefined;
}

/** One operation's part in recoveries. */
export interface OperationRecovery {
  /** What the operation recovers from, if it does. */
  readonly recovery?: Recovery<FailureRef> | undefined;
  /**
   * @param errorType absent on success
   * @param now milliseconds of the same clock as at the start
   */
  end(errorType: string | undefined, acquired: LeaseFacts | undefined, ref: FailureRef, now: number): void;
  /** Ends the operation where nobody can say whether it failed. */
  abandon(now: number): void;
}

export class Recoveries {
  readonly #tracker: RecoveryTracker<FailureRef>;

  constructor(limits: RecoveryLimits, listener: OutcomeListener) {
    this.#tracker = new RecoveryTracker(limits, listener);
  }

  setLimits(limits: RecoveryLimits): void {
    this.#tracker.limits = limits;
  }

  /** @param now milliseconds of `performance.now()` */
  start(operation: OperationName, subject: Subject, now: number): OperationRecovery {
    const store = shared.requestScopes.getStore();
    if (operation === 'execute') store?.onExecute?.();
    const scope = store === undefined || store.isOver ? undefined : store;
    if (scope?.steps !== undefined) return stepOf(operation, scope.steps);
    const call = {
      operation,
      environmentId: subject.environmentId,
      leaseId: subject.lease?.id,
      owner: subject.owner,
      provider: subject.provider,
      isCountedElsewhere: scope !== undefined,
    };
    return new Tracked(this.#tracker, this.#tracker.start(call, now), scope);
  }

  /** @returns what to call when the work of the fallback begins */
  announce(fallback: AnnouncedFallback): () => void {
    return this.#tracker.announce(fallback, performance.now());
  }

  /**
   * Reports windows that have passed each time this meter is collected, so also in an idle host. The instrument exists
   * for its callback only: it never observes a value, so nothing is exported.
   */
  observe(meter: Meter): void {
    const advance = () => {
      attempt('recording a metric failed', () => this.#tracker.advance(performance.now()));
    };
    meter.createObservableGauge(INSTRUMENT_RECOVERY_WINDOWS).addCallback(advance);
  }

  /** Reports the pending recoveries with their current state. */
  settle(): void {
    attempt('recording a metric failed', () => this.#tracker.settle(performance.now()));
  }
}

class Tracked implements OperationRecovery {
  constructor(
    private readonly tracker: RecoveryTracker<FailureRef>,
    private readonly call: TrackedCall<FailureRef>,
    private readonly scope: RequestScope | undefined,
  ) {}

  get recovery(): Recovery<FailureRef> | undefined {
    return this.call.recovery;
  }

  end(errorType: string | undefined, acquired: LeaseFacts | undefined, ref: FailureRef, now: number): void {
    const { operation } = this.call.call;
    if (this.scope !== undefined && operation === 'open_duplex_channel') this.scope.errorType = errorType;
    this.tracker.end(this.call, { errorType, acquiredLeaseId: acquired?.id, ref }, now);
  }

  abandon(now: number): void {
    this.tracker.abandon(this.call, now);
  }
}

/** Which operations are steps of a recovery. Other operations inside it are not. */
const STEPS: Record<RecoveryKind, readonly OperationName[]> = {
  fallback: ['execute'],
  reacquire: ['acquire_run_lease', 'open_duplex_channel'],
};

/** An operation inside a recovery that somebody else follows. It gets its link, and is not counted. */
function stepOf(operation: OperationName, steps: NonNullable<RequestScope['steps']>): OperationRecovery {
  const { recoveryKind: kind, failure } = steps;
  return {
    recovery: kind !== undefined && STEPS[kind].includes(operation) ? { kind, from: failure } : undefined,
    end(errorType, _acquired, ref) {
      if (errorType !== undefined && operation === 'open_duplex_channel') steps.failure = ref;
    },
    abandon() {},
  };
}
