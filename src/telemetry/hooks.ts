/** Calls a user's hook, so that nothing it does reaches the host. */
import { types } from 'node:util';
import type { Span } from '@opentelemetry/api';
import { attempt, type FaultKind, reportFault } from '../base/faults.js';

const { then } = Promise.prototype;

/** @param hook may be asynchronous: it is not waited for, and its rejection is reported */
export function callHook<Info>(
  kind: FaultKind,
  hook: ((span: Span, info: Info) => unknown) | undefined,
  span: Span,
  info: () => Info,
): void {
  if (hook === undefined) return;
  attempt(kind, () => {
    const returned = hook(span, info());
    const onRejected = (error: unknown) => reportFault(kind, error);
    if (types.isPromise(returned)) Reflect.apply(then, returned, [undefined, onRejected]);
  });
}
