/** Public types of the configuration and its hooks. */
import type { Span } from '@opentelemetry/api';
import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { OperationName } from './semconv.js';

/** What a {@link PaperclipInstrumentationConfig.requestHook} is told. */
export interface OperationRequest {
  readonly operation: OperationName;
  /** The arguments of the call, as they are: they may hold secrets. */
  readonly args: readonly unknown[];
}

/** What a {@link PaperclipInstrumentationConfig.responseHook} is told. */
export interface OperationResponse extends OperationRequest {
  /**
   * What the operation returned or its promise became. It may say that the operation failed: a lease with
   * `cleanupStatus: "failed"`, or `timedOut: true`.
   */
  readonly result?: unknown;
  /** What the operation threw or its promise was rejected with. */
  readonly error?: unknown;
}

/**
 * How much of an error is recorded: `catalogued`, its type, and message and stack only where the catalog
 * holds exactly that message as a fixed text; `full`, message and stack of every error.
 */
export type ErrorDetail = 'catalogued' | 'full';

/**
 * Options of {@link PaperclipInstrumentation}. Each but the hooks also has an environment variable
 * `OTEL_INSTRUMENTATION_PAPERCLIP_…`; an option given in code wins.
 */
export interface PaperclipInstrumentationConfig extends InstrumentationConfig {
  /**
   * Provider keys to record as they are, beside the built-in ones; any other is recorded as `_OTHER`.
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
   * How long after a refused open an `execute` on the same lease counts as its fallback, in milliseconds.
   * `…_FALLBACK_WINDOW_MS`. Default: 30000.
   */
  fallbackWindowMs?: number;
  /**
   * How long after a failure for missing metadata an acquire, and after that the retry, belong to it, in
   * milliseconds. `…_REACQUIRE_WINDOW_MS`. Default: 300000.
   */
  reacquireWindowMs?: number;
  /**
   * How many refused opens and failures for missing metadata are followed at the same time; beyond that the
   * oldest are counted as they stand. `…_MAX_TRACKED_RECOVERIES`. Default: 10000.
   */
  maxTrackedRecoveries?: number;
  /**
   * Names of the packages that are treated as Paperclip's server, for renamed forks.
   * `…_PACKAGES`, comma-separated. Default: `@paperclipai/server`.
   */
  packages?: readonly string[];
  /** Called with the span when an operation starts. What it throws is reported and goes no further. */
  requestHook?: (span: Span, request: OperationRequest) => void;
  /** Called with the span before it ends. What it throws is reported and goes no further. */
  responseHook?: (span: Span, response: OperationResponse) => void;
}
