/**
 * The one wrapper. It calls the host's method exactly once, with the same `this` and arguments, gives back
 * exactly what it returned or threw, and tells the recording. Whatever goes wrong on our side of a call ends
 * in a diagnostic.
 */
import { context } from '@opentelemetry/api';
import { isObject, readSubject, type Subject, type SubjectParts } from '../lease/subject.js';
import { reportFault } from '../signals/faults.js';
import { Recording } from '../signals/recording.js';
import type { Telemetry } from '../signals/telemetry.js';
import { follow, isPlainPromise, isThenable } from './promises.js';
import { type Frame, type Owner, type Slot, shared } from './shared.js';
import { OPERATIONS, type OperationRow } from './table.js';

const ROWS: ReadonlyMap<string, OperationRow> = new Map(OPERATIONS.map((row) => [row.name, row]));

/** Bound once: a closure for each call would also stand on the stack. */
const runInFrame: (frame: Frame, call: () => void) => void = shared.frames.run.bind(shared.frames);

/** A call that is to be recorded: as an operation of its own, or as part of the one that is under way. */
interface Opened {
  readonly frame: Frame;
  readonly recording?: Recording;
}

/** Records the calls of wrapped methods with one instance's telemetry. */
export class OperationRunner implements Owner {
  constructor(
    private readonly telemetry: () => Telemetry,
    readonly isEnabled: () => boolean,
  ) {}

  run(slot: Slot, self: unknown, args: unknown[]): unknown {
    const opened = this.#tryOpen(slot, self, args);
    if (opened === undefined) return Reflect.apply(slot.original, self, args);
    const { frame, recording } = opened;
    let called = false;
    let threw = false;
    let value: unknown;
    // Once, whatever the context manager does.
    const call = () => {
      if (called) return;
      called = true;
      try {
        value = Reflect.apply(slot.original, self, args);
      } catch (thrown) {
        threw = true;
        value = thrown;
      }
    };
    const limit = lengthenStackTraces();
    try {
      if (recording === undefined) shared.frames.run(frame, call);
      else context.with(recording.context, runInFrame, undefined, frame, call);
    } catch (error) {
      reportFault('activating a span failed', error);
    }
    call();
    if (limit !== undefined) restoreStackTraces(limit);
    if (threw) {
      recording?.end({ error: value });
      throw value;
    }
    if (recording === undefined) return value;
    if (isPlainPromise(value)) return follow(value, (how) => recording.end(how));
    recording.end(isThenable(value) ? {} : { result: value });
    return value;
  }

  #tryOpen(slot: Slot, self: unknown, args: unknown[]): Opened | undefined {
    try {
      return this.#open(slot, self, args);
    } catch (error) {
      reportFault('starting a span failed', error);
      return undefined;
    }
  }

  /** Nothing where nobody listens. */
  #open(slot: Slot, self: unknown, args: unknown[]): Opened | undefined {
    const telemetry = this.telemetry();
    const row = ROWS.get(slot.operation);
    if (row === undefined || !telemetry.isHeard()) return undefined;
    const subject = subjectOf(row, slot, self, args);
    const outer = enclosing();
    const own = outer?.operation instanceof Recording ? outer.operation : undefined;
    if (outer !== undefined && isSameOperation(outer, slot, self)) {
      own?.learn(subject);
      return { frame: { slot, receiver: self, operation: outer.operation } };
    }
    const recording = telemetry.start(row, subject, args, own);
    return { frame: { slot, receiver: self, operation: recording }, recording };
  }
}

/** The innermost operation that is under way where this call comes from. */
function enclosing(): Frame | undefined {
  const frame = shared.frames.getStore();
  return frame === undefined || frame.operation.ended ? undefined : frame;
}

/**
 * A service method that calls the same method of a driver is one operation, and so is a method that calls the
 * one it overrides (`super`). A driver that calls another driver is two.
 */
function isSameOperation(outer: Frame, slot: Slot, self: unknown): boolean {
  if (outer.slot.operation !== slot.operation || outer.slot === slot) return false;
  if (outer.slot.level === 'service' && slot.level === 'driver') return true;
  return isObject(self) && outer.receiver === self;
}

const onFault = (error: unknown) => reportFault('reading an operation failed', error);
const NO_PARTS: SubjectParts = {};

function subjectOf(row: OperationRow, slot: Slot, self: unknown, args: unknown[]): Subject {
  let parts = NO_PARTS;
  try {
    parts = row.subject(args);
  } catch (error) {
    onFault(error);
  }
  return readSubject(parts, onFault, slot.level === 'driver' ? self : undefined);
}

/** As many as stand between a caller and the host's method, those of OpenTelemetry's context manager included. */
const OWN_STACK_FRAMES = 7;

/**
 * V8 keeps the ten innermost frames of an error's stack. Ours would push the host's own out of it, so there is
 * room for them while the host's method is called.
 *
 * @returns the limit that there was; nothing where it stays
 */
function lengthenStackTraces(): number | undefined {
  const before: unknown = Error.stackTraceLimit;
  // 0 means that the host wants no stacks.
  if (typeof before !== 'number' || !(before > 0)) return undefined;
  setStackTraceLimit(before + OWN_STACK_FRAMES);
  return before;
}

/** Ends that, unless the host has set a limit of its own meanwhile. */
function restoreStackTraces(before: number): void {
  if (Error.stackTraceLimit === before + OWN_STACK_FRAMES) setStackTraceLimit(before);
}

function setStackTraceLimit(limit: number): void {
  try {
    Error.stackTraceLimit = limit;
  } catch {
    // Intrinsics are frozen.
  }
}
