/** One operation from start to end: its span and its points. */
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { attempt, reportFault, warnOperator } from '../base/faults.js';
import { isObject } from '../base/values.js';
import { describeFailure, type Failure } from '../errors/failure.js';
import { mergeSubjects, type Subject } from '../lease/subject.js';
import type { OperationRow, ResultFacts } from '../operations/table.js';
import type { LeaseEnd } from '../semconv.js';
import * as semconv from '../semconv.js';
import { type OpenOperation, type Outcome, type Running, type Series, shared } from '../shared.js';
import { seriesOf } from './active.js';
import * as attributes from './attributes.js';
import { recordException } from './exceptions.js';
import { callHook } from './hooks.js';
import { begin, finish } from './oldest.js';
import { linksTo, type OperationRecovery, type Recoveries, refOf } from './recoveries.js';
import type { Telemetry } from './telemetry.js';

const NO_ARGUMENTS: readonly unknown[] = [];
const NOTHING_KNOWN: ResultFacts = {};

const UNREADABLE: Failure = {
  errorType: semconv.VALUE_OTHER,
  exception: { type: semconv.VALUE_OTHER },
};

export class Recording implements OpenOperation {
  ended = false;
  /** The context to call the driver in. */
  readonly context: Context;
  #subject: Subject;
  /** What every point carries. */
  #dimensions: Attributes;
  readonly #span: Span | undefined;
  readonly #startedAt = Date.now();
  readonly #started = performance.now();
  /** Where the running operation is counted. */
  #active: Series | undefined;
  /** Its place among the running operations. */
  readonly #running: Running;
  readonly #recovery: OperationRecovery | undefined;
  /** The errors that operations inside this one have recorded. */
  #recorded: WeakSet<object> | undefined;

  constructor(
    private readonly telemetry: Telemetry,
    private readonly recoveries: Recoveries,
    private readonly row: OperationRow,
    subject: Subject,
    private args: readonly unknown[],
    parentContext: Context,
    private readonly parent: Recording | undefined,
  ) {
    this.#subject = subject;
    this.#dimensions = this.#describeDimensions();
    this.#recovery = this.#startRecovery();
    this.#span = this.#startSpan(parentContext);
    this.context = this.#span === undefined ? parentContext : trace.setSpan(parentContext, this.#span);
    this.#countActive();
    this.#running = begin(this.#started, this.#dimensions);
    if (this.#span !== undefined) this.#describeStart(this.#span);
  }

  /** Takes in what an inner call of the same operation knows that this one did not. */
  learn(inner: Subject): void {
    const { environmentId, driver, provider, lease } = this.#subject;
    if (environmentId && driver && provider && lease) return;
    this.#subject = mergeSubjects(this.#subject, inner);
    this.#dimensions = this.#describeDimensions();
    this.#running.dimensions = this.#dimensions;
    const span = this.#span;
    attempt('starting a span failed', () => {
      if (span === undefined || !span.isRecording()) return;
      const learned = {
        ...this.#attributesAtStart(),
        ...attributes.detailsOf(this.#subject, this.telemetry.settings, this.#startedAt),
      };
      span.updateName(spanName(this.row, this.#dimensions));
      span.setAttributes(learned);
    });
  }

  /** The raw key of the provider, as far as it is known. */
  get provider(): string | undefined {
    return this.#subject.provider;
  }

  /** Nothing where the span is not recorded: then Paperclip's own step stays the parent. */
  get providerParent(): Context | undefined {
    return this.telemetry.settings.providerSpans && this.#span?.isRecording() ? this.context : undefined;
  }

  /** Ends the operation; later calls do nothing. */
  end(outcome: Outcome): void {
    if (this.ended) return;
    this.ended = true;
    // Where the start was counted, even if the driver was learned later.
    if (this.#active !== undefined) this.#active.count -= 1;
    finish(this.#running);
    try {
      this.#end(outcome, performance.now());
    } catch (error) {
      reportFault('ending a span failed', error);
    }
    // What the driver left running, such as a socket, keeps this object; the arguments need not live on with it.
    this.args = NO_ARGUMENTS;
  }

  #end(outcome: Outcome, ended: number): void {
    const result = 'result' in outcome ? this.#read(outcome.result) : NOTHING_KNOWN;
    const failure = 'error' in outcome ? this.#describe(outcome.error) : returnedFailure(result);
    if (isKnown(outcome)) {
      this.#measure((ended - this.#started) / 1000, result, failure);
      this.#endRecovery(result, failure, ended);
    } else this.#abandonRecovery(ended);
    if (this.#span !== undefined) this.#describeEnd(this.#span, outcome, result, failure);
    if (failure !== undefined && 'error' in outcome) this.#recordException(outcome.error, failure);
    this.#endSpan();
  }

  // Each step has a try block of its own and no closure: a closure would cost a good part of what the step costs.

  #startRecovery(): OperationRecovery | undefined {
    try {
      return this.recoveries.start(this.row.name, this.#subject, this.#started);
    } catch (error) {
      reportFault('following a recovery failed', error);
      return undefined;
    }
  }

  #endRecovery({ acquired }: ResultFacts, failure: Failure | undefined, ended: number): void {
    try {
      this.#recovery?.end(failure?.errorType, acquired, failure && refOf(this.#span), ended);
    } catch (error) {
      reportFault('following a recovery failed', error);
    }
  }

  #abandonRecovery(ended: number): void {
    try {
      this.#recovery?.abandon(ended);
    } catch (error) {
      reportFault('following a recovery failed', error);
    }
  }

  #startSpan(parentContext: Context): Span | undefined {
    try {
      const tracer = this.telemetry.tracers.current();
      return tracer?.startSpan(spanName(this.row, this.#dimensions), this.#spanOptions(), parentContext);
    } catch (error) {
      reportFault('starting a span failed', error);
      return undefined;
    }
  }

  #spanOptions(): SpanOptions {
    const recovery = this.#recovery?.recovery;
    const atStart = this.#attributesAtStart();
    if (recovery === undefined) return { kind: SpanKind.INTERNAL, attributes: atStart };
    atStart[semconv.ATTR_PAPERCLIP_RECOVERY_KIND] = recovery.kind;
    return { kind: SpanKind.INTERNAL, attributes: atStart, links: linksTo(recovery) };
  }

  #describeStart(span: Span): void {
    try {
      if (!span.isRecording()) return;
      const { settings, hooks } = this.telemetry;
      span.setAttributes(attributes.detailsOf(this.#subject, settings, this.#startedAt));
      if (hooks.requestHook === undefined) return;
      // The driver is called with the array itself, which a hook must not change.
      const request = () => ({ operation: this.row.name, args: [...this.args] });
      callHook('requestHook failed', hooks.requestHook, span, request);
    } catch (error) {
      reportFault('ending a span failed', error);
    }
  }

  #describeEnd(span: Span, outcome: Outcome, result: ResultFacts, failure: Failure | undefined): void {
    try {
      if (!span.isRecording()) return;
      const { settings, hooks } = this.telemetry;
      if (isKnown(outcome)) span.setAttributes(attributes.resultAttributes(result, this.#subject, settings));
      else span.setAttributes({ [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_OUTCOME_UNKNOWN]: true });
      if (failure !== undefined) {
        span.setAttributes(attributes.failureAttributes(failure));
        span.setStatus(statusOf(failure));
      }
      if (hooks.responseHook === undefined) return;
      const response = () => ({ operation: this.row.name, args: this.args, ...outcome });
      callHook('responseHook failed', hooks.responseHook, span, response);
    } catch (error) {
      reportFault('ending a span failed', error);
    }
  }

  #attributesAtStart(): Attributes {
    return attributes.attributesAtStart(this.#dimensions, this.#subject, this.telemetry.settings);
  }

  #describeDimensions(): Attributes {
    return attributes.dimensionsOf(this.row, this.#subject, this.telemetry.settings);
  }

  #countActive(): void {
    try {
      const dimensions = this.#dimensions;
      const { attributes: keys } = semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE;
      const driver = dimensions[semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER] as string | undefined;
      const series = seriesOf(shared.running.operations, this.row.name, driver, () =>
        attributes.pick(dimensions, keys),
      );
      series.count += 1;
      this.#active = series;
      this.telemetry.instruments()?.operationActive.show(series);
    } catch (error) {
      reportFault('recording a metric failed', error);
    }
  }

  #measure(duration: number, result: ResultFacts, failure: Failure | undefined): void {
    try {
      const instruments = this.telemetry.instruments();
      const point = attributes.durationDimensions(this.#dimensions, result, failure);
      instruments?.operationDuration.record(duration, point, this.context);
      if (result.leaseEnd !== undefined) this.#measureLease(result.leaseEnd);
    } catch (error) {
      reportFault('recording a metric failed', error);
    }
  }

  #measureLease(end: LeaseEnd): void {
    const held = attributes.seconds(this.#subject.lease?.acquiredAt, Date.now());
    if (held === undefined || held < 0) return;
    const lease = { ...this.#dimensions, [semconv.ATTR_PAPERCLIP_LEASE_END]: end };
    const { attributes: keys } = semconv.METRIC_PAPERCLIP_LEASE_DURATION;
    this.telemetry.instruments()?.leaseDuration.record(held, attributes.pick(lease, keys), this.context);
  }

  /**
   * An error is recorded by the innermost operation that it leaves. The operations around it are told of it. A thrown
   * primitive is recorded by each, because two equal ones cannot be told apart.
   */
  #recordException(error: unknown, failure: Failure): void {
    const { parent } = this;
    const { exception } = failure;
    const isRecorded = isObject(error) && this.#recorded?.has(error) === true;
    if (exception !== undefined && !isRecorded)
      recordException(this.telemetry, this.row, this.#span, this.context, failure, exception);
    if (parent === undefined || !isObject(error)) return;
    parent.#recorded ??= new WeakSet();
    parent.#recorded.add(error);
  }

  #endSpan(): void {
    try {
      this.#span?.end();
    } catch (error) {
      reportFault('ending a span failed', error);
    }
  }

  #describe(error: unknown): Failure {
    const { catalog, errorDetail } = this.telemetry.settings;
    const { shape } = this.#subject;
    const describe = () => describeFailure(error, catalog, errorDetail === 'full', shape, warnOperator);
    const failure = attempt('classifying an error failed', describe) ?? UNREADABLE;
    return { ...failure, errorType: this.telemetry.errorType(failure.errorType) };
  }

  #read(result: unknown): ResultFacts {
    try {
      return this.row.result?.(result, this.args) ?? NOTHING_KNOWN;
    } catch (error) {
      reportFault('reading an operation failed', error);
      return NOTHING_KNOWN;
    }
  }
}

function returnedFailure({ failure }: ResultFacts): Failure | undefined {
  return failure === undefined ? undefined : { errorType: failure };
}

function statusOf({ fixedMessage }: Failure): SpanStatus {
  const status: SpanStatus = { code: SpanStatusCode.ERROR };
  if (fixedMessage !== undefined) status.message = fixedMessage;
  return status;
}

function isKnown(outcome: Outcome): boolean {
  return 'result' in outcome || 'error' in outcome;
}

function spanName(row: OperationRow, dimensions: Attributes): string {
  const driver = dimensions[semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER];
  return driver === undefined ? row.name : `${row.name} ${driver}`;
}
