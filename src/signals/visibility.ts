/**
 * Whether this package sees the SDK of the process. Copies of `@opentelemetry/api` meet in one global object,
 * and a copy reads nothing that an older minor version registered there.
 */
import { metrics, trace } from '@opentelemetry/api';
import { registered } from './api-global.js';

/** Whether somebody has registered an SDK for traces or metrics, through whichever copy of the API. */
export function isSdkRegistered(): boolean {
  const { trace: traces, metrics: meters } = registered();
  return traces !== undefined || meters !== undefined;
}

/** The version of the API through which an SDK is registered that this package's copy does not see. */
export function unseenApiVersion(): string | undefined {
  return isSeenThrough({ metrics, trace }) ? undefined : registered().version;
}

/** Whether a copy of the API sees the SDK that is registered, if one is. */
export function isSeenThrough(copy: Pick<typeof import('@opentelemetry/api'), 'metrics' | 'trace'>): boolean {
  const { trace: traces, metrics: meters } = registered();
  return (
    (traces === undefined || traces === copy.trace.getTracerProvider()) &&
    (meters === undefined || meters === copy.metrics.getMeterProvider())
  );
}
