/** Calls a user's hook so that nothing it does reaches the host. */
import type { Span } from '@opentelemetry/api';
import { attempt, drop, type FaultKind } from './faults.js';

export function callHook<Info>(
  kind: FaultKind,
  hook: ((span: Span, info: Info) => unknown) | undefined,
  span: Span,
  info: () => Info,
): void {
  if (hook !== undefined) attempt(kind, () => drop(kind, hook(span, info())));
}
