/**
 * What Paperclip's own steps have to do with operations. Timers start the runs of agents, so often no span is active, but Paperclip
 * keeps the context of its startup steps (`getActiveStepContext` in `acpx-engine/startup-timing.js` of
 * `@paperclipai/adapter-utils`). The parent of an operation's span is the active span, else the step's. And the parent of the
 * spans that Paperclip records inside an operation is the operation's.
 */
import { type Context, context, type Span, trace } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { HostFunction } from '../base/values.js';
import { isObject } from '../base/values.js';
import { shared } from '../shared.js';
import { disguise } from '../wrap/disguise.js';

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

/**
 * Wraps `getActiveStepContext`, so that inside an operation the step has the operation's span as its parent. With each call of a
 * plug-in worker, Paperclip sends the `parentContext` of the step of that moment (`registerInvocation` in
 * `plugin-worker-manager.js` of the server), and the spans that the worker sends back get it as their parent. Without a step it
 * records none of them, so one is made where that changes nothing else.
 *
 * @param runWithRuntimeParent Paperclip's function of that name, which makes a step: `(parentContext, work)`
 */
export function parentOfProviderSpans(
  getActiveStepContext: HostFunction,
  runWithRuntimeParent: HostFunction | undefined,
): HostFunction {
  if (shared.observed.has(getActiveStepContext)) return getActiveStepContext;
  const stepHere = (step: unknown) => {
    const frame = shared.frames.getStore();
    const parentContext = frame?.operation.ended === false ? frame.operation.providerParent : undefined;
    if (parentContext === undefined) return step;
    if (isObject(step)) return { ...step, parentContext };
    return frame?.slot.row.readsStep === true
      ? step
      : runWithRuntimeParent?.(parentContext, getActiveStepContext);
  };
  const wrapped = disguise(getActiveStepContext, (self, args) => {
    const step = Reflect.apply(getActiveStepContext, self, args);
    return attempt('finding the parent span failed', () => stepHere(step)) ?? step;
  });
  shared.observed.add(wrapped);
  return wrapped;
}
