/**
 * What all instances of this instrumentation in a process share, also across copies of the package: which functions are
 * wrappers, for which objects, and which operation runs in which asynchronous context. Without it, two copies would wrap
 * each other and count every operation twice.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, SpanContext } from '@opentelemetry/api';
import type { HostFunction } from './base/values.js';
import type { Level, OperationRow } from './operations/table.js';
import type { AnnouncedFallback, OutcomeListener } from './recovery/outcomes.js';
import type { RecoveryKind } from './semconv.js';

/** One wrapped method: what it wraps and who records its calls. */
export interface Slot {
  readonly row: OperationRow;
  readonly level: Level;
  readonly original: HostFunction;
  /** Instances that asked for this wrapper, oldest first; the first that is enabled records. */
  readonly instances: Instance[];
}

/** One instance of the instrumentation, as wrappers see it. */
export interface Instance {
  isEnabled(): boolean;
  /** Starts to record a call; returns nothing where nobody listens. Never throws. */
  open(slot: Slot, self: unknown, args: unknown[]): OpenCall | undefined;
}

/** A call that has been opened, and that the wrapper is to make. */
export interface OpenCall {
  readonly frame: Frame;
  /** The context to make the call in; absent where the call is part of an operation that runs already. */
  readonly context?: Context | undefined;
  end(outcome: Outcome): void;
}

/** How an operation ended. Neither is there where what the method returned cannot be followed. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown } | Record<string, never>;

/** Subscribes to a promise of the host without handling its rejection. */
export type Subscribe = (onSettled: (outcome: { result: unknown } | { error: unknown }) => void) => void;

/** The innermost recorded call in this asynchronous context. */
export interface Frame {
  readonly slot: Slot;
  readonly operation: OpenOperation;
}

/** An operation that is recorded, as other operations inside it see it. */
export interface OpenOperation {
  readonly ended: boolean;
}

/**
 * A duplex request that is counted by code that sees more than single operations: Paperclip's own observability, or
 * `openDuplexChannelWithRecovery`. Operations inside it are not counted as requests again.
 */
export interface RequestScope {
  /** What the steps inside recover from, where that code also knows about re-acquires. */
  readonly steps?: { recoveryKind?: RecoveryKind | undefined; failure?: SpanContext | undefined };
  /** The `error.type` of the latest open in it, if that failed. */
  errorType?: string | undefined;
  /** To be called when an `execute` starts in it. Set where Paperclip has announced a fallback in it. */
  onExecute?: (() => void) | undefined;
  isOver: boolean;
}

/** One request forwarded over a duplex channel. */
export interface Forward {
  readonly provider: string | undefined;
  readonly outcome: string;
  readonly latencyMs: number;
}

/** One duplex channel that was lost. */
export interface Loss {
  readonly provider: string | undefined;
  readonly lossClass: string;
  readonly reason: string;
}

/** One provider session that was left over. */
export interface SessionLeak {
  readonly provider: string | undefined;
}

/** An instance of the instrumentation, as reports about no single driver see it. */
export interface Reporter extends OutcomeListener {
  /** @returns what to call when the work of the fallback begins */
  onFallbackAnnounced(fallback: AnnouncedFallback): () => void;
  onForward(forward: Forward): void;
  onLoss(loss: Loss): void;
  onSessionLeak(leak: SessionLeak): void;
}

/** One time series: its attributes, and how many operations or channels it counts. */
export interface Series {
  readonly attributes: Attributes;
  count: number;
}

/** Series by two of their attributes. */
export type Counts = Map<string | undefined, Map<string | undefined, Series>>;

interface Shared {
  readonly wrappers: WeakMap<HostFunction, Slot>;
  readonly frames: AsyncLocalStorage<Frame>;
  readonly requestScopes: AsyncLocalStorage<RequestScope>;
  /** Enabled instances, oldest first. */
  readonly reporters: Set<Reporter>;
  /** Paperclip's facades and channels that are observed already. */
  readonly observed: WeakSet<object>;
  /** Promises of the host that it got back itself. */
  readonly promises: WeakMap<object, Subscribe>;
  /** Running operations and open channels, of all instances and copies. */
  readonly running: { readonly operations: Counts; readonly channels: Counts };
  readonly attachment: Attachment;
}

/** Whether this process is attached to Paperclip, for all copies and instances. */
export interface Attachment {
  /** Whether a preload of ours runs in this process. */
  isPreloaded: boolean;
  /** Whether a runtime is instrumented. */
  isAttached: boolean;
  /** What to call once, when a runtime is instrumented. */
  readonly waiting: (() => void)[];
  /** Names of packages that have a runtime and are not configured. */
  readonly strangers: Set<string>;
  /** Warnings that an operator has been given; each is given once. */
  readonly told: Set<string>;
}

/** The number changes with the shape of {@link Shared}; copies with different shapes ignore each other. */
const KEY = Symbol.for('opentelemetry-instrumentation-paperclip.shared.4');

function open(): Shared {
  const host = globalThis as { [KEY]?: Shared };
  host[KEY] ??= {
    wrappers: new WeakMap(),
    frames: new AsyncLocalStorage(),
    requestScopes: new AsyncLocalStorage(),
    reporters: new Set(),
    observed: new WeakSet(),
    promises: new WeakMap(),
    running: { operations: new Map(), channels: new Map() },
    attachment: {
      isPreloaded: false,
      isAttached: false,
      waiting: [],
      strangers: new Set(),
      told: new Set(),
    },
  };
  return host[KEY];
}

export const shared: Shared = open();

/** Takes reports about no single driver: the oldest enabled instance. */
export function reporter(): Reporter | undefined {
  for (const candidate of shared.reporters) return candidate;
  return undefined;
}
