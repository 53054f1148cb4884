/**
 * The one wrapper. It calls the host's method exactly once, with the same `this` and arguments, and gives back exactly what the
 * method returned or threw. With `propagateContext` the arguments may be a copy that has environment variables added. A fault of
 * ours ends in a diagnostic.
 */
import { type Context, context } from '@opentelemetry/api';
import { attempt, reportFault } from '../base/faults.js';
import type { HostFunction } from '../base/values.js';
import { observeChannel } from '../duplex/channel.js';
import { readSubject, type Subject, type SubjectParts } from '../lease/subject.js';
import type { OperationRow } from '../operations/table.js';
import { type Frame, type Instance, type OpenCall, type Outcome, type Slot, shared } from '../shared.js';
import { countChannel } from '../telemetry/channels.js';
import { variablesOf } from '../telemetry/propagation.js';
import type { Recorder } from '../telemetry/recorder.js';
import { Recording } from '../telemetry/recording.js';
import { follow, isThenable } from '../wrap/promises.js';

/**
 * Makes the method that stands in the original's place. It has no more frames of ours on the stack than it needs, because
 * V8 keeps ten of an error's: this function, those of OpenTelemetry's context manager, and one that notes what happened.
 */
export function recordedMethod(slot: Slot): HostFunction {
  const { original, instances } = slot;
  const { method } = {
    method(this: unknown, ...args: unknown[]): unknown {
      const opened = instances.find((candidate) => candidate.isEnabled())?.open(slot, this, args);
      if (opened === undefined) return Reflect.apply(original, this, args);

      let called = false;
      let threw = false;
      let value: unknown;
      const call = () => {
        called = true;
        try {
          value = Reflect.apply(original, this, opened.args ?? args);
        } catch (thrown) {
          threw = true;
          value = thrown;
        }
      };
      // As `run` does it, without its frames.
      const outer = shared.frames.getStore();
      shared.frames.enterWith(opened.frame);
      try {
        if (opened.context !== undefined) context.with(opened.context, call);
      } catch (error) {
        reportFault('activating a span failed', error);
      }
      if (!called) call();
      shared.frames.enterWith(outer as Frame);

      if (threw) {
        opened.end({ error: value });
        throw value;
      }
      if (opened.context === undefined) return value;
      const followed = follow(value, (how) => opened.end(how));
      if (followed !== undefined) return followed;
      opened.end(isThenable(value) ? {} : { result: value });
      return value;
    },
  };
  return method;
}

/** Records the calls of wrapped methods with one instance's recorder. */
export class OperationRunner implements Instance {
  constructor(
    private readonly recorder: Recorder,
    readonly isEnabled: () => boolean,
  ) {}

  open(slot: Slot, self: unknown, args: unknown[]): OpenCall | undefined {
    try {
      if (!this.recorder.telemetry.isHeard()) return undefined;
      const subject = subjectOf(slot, self, args);
      const outer = enclosing();
      const own = outer?.operation instanceof Recording ? outer.operation : undefined;
      if (outer !== undefined && isSameOperation(outer, slot)) {
        own?.learn(subject);
        return { frame: { slot, operation: outer.operation }, end() {} };
      }
      const recording = this.recorder.start(slot.row, subject, args, own);
      return {
        frame: { slot, operation: recording },
        context: recording.context,
        args: this.#carry(slot.row, args, recording.context),
        end: (outcome) => this.#end(recording, slot.row, outcome),
      };
    } catch (error) {
      reportFault('starting a span failed', error);
      return undefined;
    }
  }

  #carry({ carry }: OperationRow, args: unknown[], context: Context): unknown[] | undefined {
    if (carry === undefined || !this.recorder.telemetry.settings.propagateContext) return undefined;
    const input = attempt('passing the context on failed', () => carry(args[0], variablesOf(context)));
    return input && args.with(0, input);
  }

  #end(recording: Recording, { opensChannel }: OperationRow, outcome: Outcome): void {
    recording.end(outcome);
    if (!opensChannel || !('result' in outcome)) return;
    observeChannel(outcome.result, () => countChannel(this.recorder.telemetry, recording.provider));
  }
}

/** The innermost operation that runs where this call comes from. */
function enclosing(): Frame | undefined {
  const frame = shared.frames.getStore();
  return frame === undefined || frame.operation.ended ? undefined : frame;
}

/** A service method that calls the same method of a driver is one operation. A driver that calls another driver is two. */
function isSameOperation(outer: Frame, slot: Slot): boolean {
  return outer.slot.row.name === slot.row.name && outer.slot.level === 'service' && slot.level === 'driver';
}

const onFault = (error: unknown) => reportFault('reading an operation failed', error);
const NO_PARTS: SubjectParts = {};

function subjectOf({ row, level }: Slot, self: unknown, args: unknown[]): Subject {
  let parts = NO_PARTS;
  try {
    parts = row.subject(args);
  } catch (error) {
    onFault(error);
  }
  return readSubject(parts, onFault, level === 'driver' ? self : undefined);
}
