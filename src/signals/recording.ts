/** One operation from start to end: its span and its points. */
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { observeChannel } from '../duplex/channel.js';
import { describeFailure, type Failure } from '../errors/failure.js';
import { mergeSubjects, type Subject } from '../lease/subject.js';
import type { OpenOperation } from '../operations/shared.js';
import type { OperationRow, ResultFacts } from '../operations/table.js';
import * as semconv from '../semconv.js';
import * as attributes from './attributes.js';
import { countChannel } from './channels.js';
import { recordException } from './exceptions.js';
import { attempt, drop, type FaultKind } from './faults.js';
import { callHook } from './hooks.js';
import { linksTo, refOf } from './links.js';
import type { OperationRecovery } from './recoveries.js';
import type { Telemetry } from './telemetry.js';

/** How an operation ended. `result` is left out where what came back must not be looked at. */
export type Outcome = { readonly result?: unknown } | { readonly error: unknown };

/** How many failed operations inside one are kept until it is known whether their error leaves it too. */
const MAX_HELD = 64;

const UNREADABLE: Failure = {
  errorType: semconv.VALUE_OTHER,
  exception: { type: semconv.VALUE_OTHER },
};

export class Recording implements OpenOperation {
  ended = false;
  /** The context to call the driver in. */
  readonly context: Context;
  #subject: Subject;
  readonly #span: Span | undefined;
  readonly #startedAt = Date.now();
  readonly #started = performance.now();
  readonly #endActive: (() => void) | undefined;
  readonly #recovery: OperationRecovery | undefined;
  #held: Held[] = [];

  constructor(
    private readonly telemetry: Telemetry,
    private readonly row: OperationRow,
    subject: Subject,
    private args: readonly unknown[],
    parentContext: Context,
    private readonly parent: Recording | undefined,
  ) {
    this.#subject = subject;
    this.#recovery = attempt('following a recovery failed', () =>
      telemetry.recoveries.start(row.name, subject),
    );
    this.#span = attempt('starting a span failed', () => this.#startSpan(parentContext));
    this.context = this.#span === undefined ? parentContext : trace.setSpan(parentContext, this.#span);
    this.#endActive = attempt('recording a metric failed', () => this.#countActive());
    this.#onRecordedSpan('starting a span failed', (span, kind) => {
      const { settings, hooks } = telemetry;
      drop(kind, span.setAttributes(attributes.detailsOf(subject, settings, this.#startedAt)));
      // The driver is called with the array itself, which a hook must not change.
      const request = () => ({ operation: row.name, args: [...args] });
      callHook('requestHook failed', hooks.requestHook, span, request);
    });
  }

  /** Takes in what an inner call of the same operation knows that this one did not. */
  learn(inner: Subject): void {
    const { environmentId, driver, provider, lease } = this.#subject;
    if (environmentId && driver && provider && lease) return;
    this.#subject = mergeSubjects(this.#subject, inner);
    this.#onRecordedSpan('starting a span failed', (span, kind) => {
      const learned = {
        ...this.#attributesAtStart(),
        ...attributes.detailsOf(this.#subject, this.telemetry.settings, this.#startedAt),
      };
      drop(kind, span.updateName(spanName(this.row, this.#subject)));
      drop(kind, span.setAttributes(learned));
    });
  }

  /** Ends the operation; later calls do nothing. */
  end(outcome: Outcome): void {
    if (this.ended) return;
    this.ended = true;
    attempt('recording a metric failed', () => this.#endActive?.());
    attempt('ending a span failed', () => this.#end(outcome, performance.now()));
    // What the driver left running, such as a socket, keeps this object; the arguments need not live on with it.
    this.args = [];
  }

  #end(outcome: Outcome, ended: number): void {
    const failure = 'error' in outcome ? this.#describe(outcome.error) : undefined;
    const result = 'result' in outcome ? this.#read(outcome.result) : {};
    attempt('recording a metric failed', () =>
      this.#measure((ended - this.#started) / 1000, result, failure),
    );
    attempt('following a recovery failed', () =>
      this.#recovery?.end(failure?.errorType, result.acquired, refOf(this.#span)),
    );
    if ('result' in outcome && this.row.opensChannel) this.#followChannel(outcome.result);
    this.#settleHeld(outcome);
    this.#onRecordedSpan('ending a span failed', (span, kind) => {
      const { settings, hooks } = this.telemetry;
      if (failure === undefined) {
        drop(kind, span.setAttributes(attributes.resultAttributes(result, settings)));
      } else {
        drop(kind, span.setAttributes(attributes.failureAttributes(failure)));
        drop(kind, span.setStatus({ code: SpanStatusCode.ERROR }));
      }
      const response = () => ({ operation: this.row.name, args: this.args, ...outcome });
      callHook('responseHook failed', hooks.responseHook, span, response);
    });
    if (failure !== undefined && 'error' in outcome) this.#endFailed(outcome.error, failure, ended);
    else this.#endSpan();
  }

  #startSpan(parentContext: Context): Span | undefined {
    const recovery = this.#recovery?.recovery;
    const options = {
      kind: SpanKind.INTERNAL,
      attributes: { ...this.#attributesAtStart(), ...attributes.recoveryAttributes(recovery) },
      links: linksTo(recovery),
    };
    const tracer = this.telemetry.tracers.current();
    return tracer?.startSpan(spanName(this.row, this.#subject), options, parentContext);
  }

  #attributesAtStart(): Attributes {
    return {
      ...this.#dimensions(),
      ...attributes.idsAtStart(this.#subject, this.telemetry.settings),
    };
  }

  #dimensions(): Attributes {
    return attributes.dimensionsOf(this.row, this.#subject, this.telemetry.settings);
  }

  /** The end is counted where the start was, even if the provider is replaced or the driver learned later. */
  #countActive(): (() => void) | undefined {
    const active = this.telemetry.instruments()?.operationActive;
    const { attributes: keys } = semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE;
    const dimensions = attributes.pick(this.#dimensions(), keys);
    active?.add(1, dimensions, this.context);
    return () => active?.add(-1, dimensions, this.context);
  }

  #measure(duration: number, result: ResultFacts, failure: Failure | undefined): void {
    const instruments = this.telemetry.instruments();
    const dimensions = this.#dimensions();
    const outcome = failure
      ? { [semconv.ATTR_ERROR_TYPE]: failure.errorType }
      : attributes.resultDimensions(result);
    instruments?.operationDuration.record(duration, { ...dimensions, ...outcome }, this.context);
    const held = attributes.seconds(this.#subject.lease?.acquiredAt, Date.now());
    if (result.leaseEnd === undefined || held === undefined || held < 0) return;
    const lease = { ...dimensions, [semconv.ATTR_PAPERCLIP_LEASE_END]: result.leaseEnd };
    const { attributes: keys } = semconv.METRIC_PAPERCLIP_LEASE_DURATION;
    instruments?.leaseDuration.record(held, attributes.pick(lease, keys), this.context);
  }

  /** An error is recorded by the outermost operation that it leaves; until that is known, the span waits. */
  #endFailed(error: unknown, failure: Failure, ended: number): void {
    const finish = (isOutermost: boolean, at?: number) => {
      if (isOutermost) recordException(this.telemetry, this.row, this.#span, this.context, failure);
      this.#endSpan(at);
    };
    if (this.parent === undefined || this.parent.ended) finish(true);
    else this.parent.#hold({ error, finish: (isOutermost) => finish(isOutermost, ended) });
  }

  #endSpan(at?: number): void {
    const kind = 'ending a span failed';
    attempt(kind, () => drop(kind, this.#span?.end(at)));
  }

  #hold(held: Held): void {
    this.#held.push(held);
    if (this.#held.length > MAX_HELD) this.#held.shift()?.finish(true);
  }

  #settleHeld(outcome: Outcome): void {
    const leaves = (error: unknown) => 'error' in outcome && Object.is(outcome.error, error);
    for (const { error, finish } of this.#held) finish(!leaves(error));
    this.#held = [];
  }

  #followChannel(channel: unknown): void {
    const { provider } = this.#subject;
    attempt('observing a duplex channel failed', () =>
      observeChannel(channel, () => countChannel(this.telemetry, provider)),
    );
  }

  #onRecordedSpan(kind: FaultKind, work: (span: Span, kind: FaultKind) => void): void {
    const span = this.#span;
    if (span !== undefined) attempt(kind, () => span.isRecording() && work(span, kind));
  }

  #describe(error: unknown): Failure {
    const { catalog, errorDetail } = this.telemetry.settings;
    const describe = () => describeFailure(error, catalog, errorDetail === 'full');
    const failure = attempt('classifying an error failed', describe) ?? UNREADABLE;
    return { ...failure, errorType: this.telemetry.errorType(failure.errorType) };
  }

  #read(result: unknown): ResultFacts {
    return attempt('reading an operation failed', () => this.row.result?.(result, this.args)) ?? {};
  }
}

/** A failed operation inside another one, whose span ends when it is known where the error is recorded. */
interface Held {
  readonly error: unknown;
  finish(isOutermost: boolean): void;
}

function spanName(row: OperationRow, subject: Subject): string {
  const driver = attributes.driverOf(subject);
  return driver === undefined ? row.name : `${row.name} ${driver}`;
}
