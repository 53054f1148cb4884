/**
 * The parent of an operation's span: the active span, else Paperclip's own step. Timers start the runs of agents, so often no
 * span is active, but Paperclip keeps the context of its startup steps (`getActiveStepContext` in
 * `acpx-engine/startup-timing.js` of `@paperclipai/adapter-utils`).
 */
import { type Context, context, type Span, trace } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { HostFunction } from '../base/values.js';
import { isObject } from '../base/values.js';

/** A process can have several copies of the module that keeps the step. No more than this are asked. */
const MAX_SOURCES = 8;
const sources = new Set<HostFunction>();

/** @param getActiveStepContext Paperclip's function of that name */
export function addStepSource(getActiveStepContext: HostFunction): void {
  if (sources.size < MAX_SOURCES) sources.add(getActiveStepContext);
}

/** The context to start an operation in. */
export function parentContext(): Context {
  const active = context.active();
  if (sources.size === 0 || trace.getSpan(active) !== undefined) return active;
  const step = attempt('finding the parent span failed', activeStepSpan);
  return step === undefined ? active : trace.setSpan(active, step);
}

function activeStepSpan(): Span | undefined {
  for (const source of sources) {
    const step = source();
    const parent = isObject(step) ? step.parentContext : undefined;
    const span = isObject(parent) ? trace.getSpan(parent as unknown as Context) : undefined;
    if (span !== undefined) return span;
  }
  return undefined;
}
