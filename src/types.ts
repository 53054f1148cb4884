/** Public types of the configuration and its hooks. */
import type { Span } from '@opentelemetry/api';
import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { OperationName } from './semconv.js';

/** What a {@link PaperclipInstrumentationConfig.requestHook} gets. */
export interface OperationRequest {
  readonly operation: OperationName;
  /** The arguments of the call, unchanged: they may hold secrets. */
  readonly args: readonly unknown[];
}

/** What a {@link PaperclipInstrumentationConfig.responseHook} gets. */
export interface OperationResponse extends OperationRequest {
  /**
   * What the operation returned, or its promise resolved to. It may say that the operation failed: a lease with
   * `cleanupStatus: "failed"`, or `timedOut: true`.
   */
  readonly result?: unknown;
  /** What the operation threw, or its promise was rejected with. */
  readonly error?: unknown;
}

/**
 * How much of an error is recorded. `catalogued`: its type, and its message and stack only if the catalog has exactly that
 * message as a fixed text. `full`: message and stack of every error.
 */
export type ErrorDetail = 'catalogued' | 'full';

/**
 * Options of {@link PaperclipInstrumentation}. Each but the hooks also has an environment variable
 * `OTEL_INSTRUMENTATION_PAPERCLIP_…`. An option given in code wins.
 */
export interface PaperclipInstrumentationConfig extends InstrumentationConfig {
  /**
   * Provider keys to record beside the built-in ones. Any other key is recorded as `_OTHER`.
   * `…_PROVIDERS`, comma-separated. Default: none.
   */
  providers?: readonly string[];
  /** Whether spans carry ids of leases, environments and owners. `…_CAPTURE_IDS`. Default: true. */
  captureIds?: boolean;
  /** `…_ERROR_DETAIL`. Default: `catalogued`. */
  errorDetail?: ErrorDetail;
  /**
   * Path of a JSON file with error records (`schemaVersion` 2), matched before the built-in ones.
   * `…_ERROR_CATALOG`. Default: none.
   */
  errorCatalog?: string;
  /**
   * How many milliseconds after a refused open an `execute` on the same lease counts as its fallback.
   * `…_FALLBACK_WINDOW_MS`. Default: 30000.
   */
  fallbackWindowMs?: number;
  /**
   * How many milliseconds after a failure for missing metadata an acquire belongs to it, and after the acquire the
   * retry. `…_REACQUIRE_WINDOW_MS`. Default: 300000.
   */
  reacquireWindowMs?: number;
  /**
   * How many refused opens and failures for missing metadata are followed at the same time. Beyond that, the oldest are
   * settled with their current state. `…_MAX_TRACKED_RECOVERIES`. Default: 10000.
   */
  maxTrackedRecoveries?: number;
  /**
   * Whether Paperclip's table of leases is asked, at most once a minute, which leases are not over: the metrics
   * `paperclip.lease.held` and `paperclip.lease.oldest`. `…_LEASE_INVENTORY`. Default: false.
   */
  leaseInventory?: boolean;
  /**
   * Whether the spans that Paperclip records for a provider's plug-in are children of the operation that they belong to.
   * `…_PROVIDER_SPANS`. Default: true.
   */
  providerSpans?: boolean;
  /**
   * Whether commands in a sandbox, and agents beside the server, get the context of their operation in the environment variables
   * `TRACEPARENT`, `TRACESTATE` and `BAGGAGE`. `…_PROPAGATE_CONTEXT`. Default: false.
   */
  propagateContext?: boolean;
  /**
   * Names of the packages that are treated as Paperclip's server, for renamed forks.
   * `…_PACKAGES`, comma-separated. Default: `@paperclipai/server`.
   */
  packages?: readonly string[];
  /** Called with the span when an operation starts. An error that it throws is logged and goes no further. */
  requestHook?: (span: Span, request: OperationRequest) => void;
  /** Called with the span before it ends. An error that it throws is logged and goes no further. */
  responseHook?: (span: Span, response: OperationResponse) => void;
}
