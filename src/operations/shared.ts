/**
 * What all instances of this instrumentation in a process share, also over several copies of the package:
 * which functions are wrappers, for which objects, and which operation is under way where. Without it, two
 * copies would wrap each other and count every operation twice.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanContext } from '@opentelemetry/api';
import type { OutcomeListener } from '../recovery/outcomes.js';
import type { RecoveryKind } from '../semconv.js';
import type { HostFunction } from './disguise.js';
import type { Level } from './table.js';

/** One wrapped method: what it wraps and who records its calls. */
export interface Slot {
  readonly operation: string;
  readonly level: Level;
  readonly original: HostFunction;
  /** The only receivers that are recorded; absent where every call is. */
  readonly onlyFor?: WeakSet<object> | undefined;
  /** Instances that asked for this wrapper, oldest first; the first that is enabled records. */
  readonly owners: Owner[];
}

/** One instance of the instrumentation, as wrappers see it. */
export interface Owner {
  isEnabled(): boolean;
  run(slot: Slot, self: unknown, args: unknown[]): unknown;
}

/** The innermost call that is under way in this asynchronous context. */
export interface Frame {
  readonly slot: Slot;
  readonly receiver: unknown;
  readonly operation: OpenOperation;
}

/** An operation that is recorded, as other operations inside it see it. */
export interface OpenOperation {
  readonly ended: boolean;
}

/**
 * A duplex request that somebody who sees more than single operations counts: Paperclip's own observability,
 * or `openDuplexChannelWithRecovery`. Operations inside it are not counted as requests again.
 */
export interface RequestScope {
  /** What the steps inside recover from, where the one who counts also knows about re-acquires. */
  readonly steps?: { recoveryKind?: RecoveryKind | undefined; failure?: SpanContext | undefined };
  /** The `error.type` of the latest open in it, if that failed. */
  errorType?: string | undefined;
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

/** One session of a provider that was left over. */
export interface SessionLeak {
  readonly provider: string | undefined;
}

/** An instance of the instrumentation, as those see it who report to whichever is enabled. */
export interface Reporter extends OutcomeListener {
  onForward(forward: Forward): void;
  onLoss(loss: Loss): void;
  onSessionLeak(leak: SessionLeak): void;
}

interface Shared {
  readonly wrappers: WeakMap<HostFunction, Slot>;
  readonly receivers: WeakMap<object, WeakSet<object>>;
  readonly frames: AsyncLocalStorage<Frame>;
  readonly requestScopes: AsyncLocalStorage<RequestScope>;
  /** Enabled instances, oldest first. */
  readonly reporters: Set<Reporter>;
  /** Objects of Paperclip's that are observed already: facades and channels. */
  readonly observed: WeakSet<object>;
  readonly attachment: Attachment;
}

/** How this process stands with Paperclip, whichever copy or instance sees to it. */
export interface Attachment {
  /** Whether a preload of ours runs in this process: it has no other purpose than to attach. */
  isPreloaded: boolean;
  /** Whether a runtime is instrumented. */
  isAttached: boolean;
  /** Packages with a runtime that are not the configured ones, by name. */
  readonly strangers: Set<string>;
  /** What an operator has been told, each thing once. */
  readonly told: Set<string>;
}

/** The number changes when the shape of what is shared does; copies of both shapes then ignore each other. */
const KEY = Symbol.for('opentelemetry-instrumentation-paperclip.shared.1');

function open(): Shared {
  const host = globalThis as { [KEY]?: Shared };
  host[KEY] ??= {
    wrappers: new WeakMap(),
    receivers: new WeakMap(),
    frames: new AsyncLocalStorage(),
    requestScopes: new AsyncLocalStorage(),
    reporters: new Set(),
    observed: new WeakSet(),
    attachment: { isPreloaded: false, isAttached: false, strangers: new Set(), told: new Set() },
  };
  return host[KEY];
}

export const shared: Shared = open();

/** Who is told of what belongs to no single instance: the oldest that is enabled. */
export function reporter(): Reporter | undefined {
  for (const candidate of shared.reporters) return candidate;
  return undefined;
}
