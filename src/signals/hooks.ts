/** Calls a user's hook so that nothing it does reaches the host. */
import type { Span } from '@opentelemetry/api';
import { type FaultKind, reportFault } from './faults.js';

export function callHook<Info>(
  kind: FaultKind,
  hook: ((span: Span, info: Info) => unknown) | undefined,
  span: Span,
  info: Info,
): void {
  if (hook === undefined) return;
  try {
    const returned = hook(span, info);
    // An async hook is not waited for, but its rejection must not become an unhandled one.
    if (returned instanceof Promise) returned.catch((error) => reportFault(kind, error));
  } catch (error) {
    reportFault(kind, error);
  }
}
