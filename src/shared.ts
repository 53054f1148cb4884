/**
 * What all instances of this instrumentation in a process share, also across copies of the package: which functions are
 * wrappers, for which objects, and which operation runs in which asynchronous context. Without it, two copies would wrap
 * each other and count every operation twice.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, SpanContext } from '@opentelemetry/api';
import type { HostFunction } from './base/values.js';
import type { HeldLeases } from './lease/inventory.js';
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
  /** What to make the call with; absent where that is what the host gave. */
  readonly args?: unknown[] | undefined;
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
  /** The context of its span, if spans of a provider are to be children of it. */
  readonly providerParent?: Context | undefined;
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

/** One running operation, in the list of all in the order in which they began. */
export interface Running {
  /** When it began, in milliseconds of `performance.now()`. */
  readonly started: number;
  /** What every point of it carries, as far as it is known. */
  dimensions: Attributes;
  before: Running | undefined;
  after: Running | undefined;
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
  /** The ends of the list of running operations. */
  readonly ends: { first: Running | undefined; last: Running | undefined };
  readonly attachment: Attachment;
  readonly inventory: Inventory;
}

/** A database of drizzle, as Paperclip's server gives it to its runtime. */
export interface Database {
  execute(query: string): PromiseLike<unknown>;
}

/** What the table of leases has said, for all instances and copies. */
export interface Inventory {
  /** The least time between two queries, in milliseconds. */
  everyMs: number;
  database: Database | undefined;
  /** When it was asked, in milliseconds of `performance.now()`. */
  askedAt: number;
  /** Whether the answer to a query is still to come. */
  isAsked: boolean;
  /** The next query waits until it is due. */
  timer: NodeJS.Timeout | undefined;
  /** The answer to the last query; nothing where it failed. */
  answer: { readonly at: number; readonly leases: readonly HeldLeases[] } | undefined;
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
    ends: { first: undefined, last: undefined },
    attachment: {
      isPreloaded: false,
      isAttached: false,
      waiting: [],
      strangers: new Set(),
      told: new Set(),
    },
    inventory: {
      everyMs: 60_000,
      database: undefined,
      askedAt: Number.NEGATIVE_INFINITY,
      isAsked: false,
      timer: undefined,
      answer: undefined,
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
