/**
 * What all instances of this instrumentation in a process share, also over several copies of the package:
 * which functions are wrappers, for which objects, and which operation is under way where. Without it, two
 * copies would wrap each other and count every operation twice.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
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

interface Shared {
  readonly wrappers: WeakMap<HostFunction, Slot>;
  readonly receivers: WeakMap<object, WeakSet<object>>;
  readonly frames: AsyncLocalStorage<Frame>;
}

/** The number changes when the shape of what is shared does; copies of both shapes then ignore each other. */
const KEY = Symbol.for('opentelemetry-instrumentation-paperclip.shared.1');

function open(): Shared {
  const host = globalThis as { [KEY]?: Shared };
  host[KEY] ??= { wrappers: new WeakMap(), receivers: new WeakMap(), frames: new AsyncLocalStorage() };
  return host[KEY];
}

export const shared: Shared = open();
