/**
 * What is registered with OpenTelemetry's API in this process, and whether this package sees it. All copies of
 * `@opentelemetry/api` share one global object; a copy ignores what an older minor version registered there.
 */
import { metrics, trace } from '@opentelemetry/api';

/** The number is the API's major version (`internal/global-utils` of the API, which does not export the symbol). */
const GLOBAL = Symbol.for('opentelemetry.js.api.1');

interface Registered {
  readonly version?: string;
  readonly diag?: object;
  readonly trace?: object;
  readonly metrics?: object;
}

function registered(): Registered {
  return (globalThis as { [GLOBAL]?: Registered })[GLOBAL] ?? {};
}

/** Whether somebody has set a logger for `diag`, through any copy of the API. */
export function hasDiagLogger(): boolean {
  return registered().diag !== undefined;
}

/** Whether somebody has registered an SDK for traces or metrics, through any copy of the API. */
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
