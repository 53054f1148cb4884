/**
 * What is registered with OpenTelemetry's API in this process, and whether this package sees it. All copies of
 * `@opentelemetry/api` share one global object; a copy ignores what an older minor version registered there.
 */
import { metrics, trace } from '@opentelemetry/api';

export type Signal = 'traces' | 'metrics' | 'logs';

/** Where `@opentelemetry/api-logs` keeps the provider of logs. From 1.10 on, they are part of the API. */
const LOGS_GLOBAL = Symbol.for('io.opentelemetry.js.api.logs');
/** The number is the API's major version (`internal/global-utils` of the API, which does not export the symbol). */
const GLOBAL = Symbol.for('opentelemetry.js.api.1');

interface Registered {
  readonly version?: string;
  readonly diag?: object;
  readonly trace?: object;
  readonly metrics?: object;
  readonly logs?: object;
}

function registered(): Registered {
  return (globalThis as { [GLOBAL]?: Registered })[GLOBAL] ?? {};
}

/** Whether somebody has set a logger for `diag`, through any copy of the API. */
export function hasDiagLogger(): boolean {
  return registered().diag !== undefined;
}

/** The signals for which somebody has registered a provider, through any copy of the API. */
export function servedSignals(): Signal[] {
  const { trace: traces, metrics: meters, logs } = registered();
  const separateLogs = (globalThis as { [LOGS_GLOBAL]?: unknown })[LOGS_GLOBAL];
  const providers = { traces, metrics: meters, logs: logs ?? separateLogs };
  return (['traces', 'metrics', 'logs'] as const).filter((signal) => providers[signal] !== undefined);
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
