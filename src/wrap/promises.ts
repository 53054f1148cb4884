/** Tells what comes back from the host's methods apart, and follows promises without the host noticing. */
import { types } from 'node:util';
import { attempt } from '../base/faults.js';
import { isObject } from '../base/values.js';
import { type Subscribe, shared } from '../shared.js';
import { findMethod } from './patch.js';

/** How a promise settled. */
export type Settled = { readonly result: unknown } | { readonly error: unknown };

const promisePrototype: Promise<unknown> = Object.getPrototypeOf((async () => {})());
const { then } = promisePrototype;

/** Node.js marks promises with symbols of these names while an async hook or an `AsyncLocalStorage` is in use. */
const NODES_OWN: ReadonlySet<string | undefined> = new Set([
  'async_id_symbol',
  'trigger_async_id_symbol',
  'kResourceStore',
  'kAsyncLocalStorageContext',
]);

/**
 * Follows what the host's method returned, if it is a native promise with the `then` that all promises have. Subscribing
 * to such a promise starts nothing. A promise with another `then` may be lazy, as may a thenable and a proxy.
 *
 * @param onSettled called once, when the promise settles
 * @returns what the host is to get, which settles as the promise does and is unhandled if nobody handles it; `undefined`
 *   where the value cannot be followed
 */
export function follow(value: unknown, onSettled: (how: Settled) => void): Promise<unknown> | undefined {
  if (!types.isPromise(value)) return undefined;
  if (isPlainPromise(value)) return followPlain(value, onSettled);
  return attempt('ending a span failed', () => observe(value, onSettled)) === true ? value : undefined;
}

/** Whether a value that cannot be followed is, or may be, something to wait for. */
export function isThenable(value: unknown): boolean {
  // Looks for `then` and does not read it: a getter is the host's to call. A proxy may answer to every name, as those
  // of RPC libraries do.
  return (isObject(value) || typeof value === 'function') && (types.isProxy(value) || 'then' in value);
}

/** A promise as async functions return it: nobody can miss anything of it in another one. */
function isPlainPromise(promise: Promise<unknown>): boolean {
  return Object.getPrototypeOf(promise) === promisePrototype && Reflect.ownKeys(promise).every(isNodesOwn);
}

function isNodesOwn(key: string | symbol): boolean {
  return typeof key === 'symbol' && NODES_OWN.has(key.description);
}

/**
 * @returns another promise, which settles after `onSettled` was called; the same one each time, so that a rejection that
 *   two callers share is handled when one of them does
 */
function followPlain(promise: Promise<unknown>, onSettled: (how: Settled) => void): Promise<unknown> {
  const before = Following.of(promise);
  if (before !== undefined) {
    const tell = [(result: unknown) => onSettled({ result }), (error: unknown) => onSettled({ error })];
    Reflect.apply(then, before.original, tell);
    return before.follower;
  }
  const follower: Promise<unknown> = Reflect.apply(then, promise, [
    (result: unknown) => {
      onSettled({ result });
      return result;
    },
    (error: unknown) => {
      onSettled({ error });
      throw error;
    },
  ]);
  Following.begin({ original: promise, follower });
  return follower;
}

/** A promise of the host's, and what the host was given for it. */
interface Pair {
  readonly original: Promise<unknown>;
  readonly follower: Promise<unknown>;
}

class Given {
  constructor(promise: object) {
    // biome-ignore lint/correctness/noConstructorReturn: what a derived class adds is added to the promise
    return promise;
  }
}

/**
 * Keeps a pair with both of its promises, as a private field, which nobody can see. Entries of a `WeakMap`
 * made an operation take 1.4 times as long, for the garbage collector's sake.
 */
class Following extends Given {
  readonly #pair: Pair;

  private constructor(promise: object, pair: Pair) {
    super(promise);
    this.#pair = pair;
  }

  static begin(pair: Pair): void {
    try {
      new Following(pair.original, pair);
      new Following(pair.follower, pair);
    } catch {
      // Whether a frozen object can be given a private field is up to the engine. Without, it is followed anew.
    }
  }

  static of(promise: object): Pair | undefined {
    return #pair in promise ? promise.#pair : undefined;
  }
}

/**
 * Observes a promise that the host must get itself: one with properties of its own, such as the `child` of
 * `util.promisify(exec)`, or of a class.
 *
 * @returns whether that is possible
 */
function observe(promise: Promise<unknown>, onSettled: (how: Settled) => void): boolean {
  const subscribe = shared.promises.get(promise) ?? cover(promise);
  subscribe?.(onSettled);
  return subscribe !== undefined;
}

/**
 * Makes it possible to subscribe to a promise without handling its rejection. Whoever subscribes, by `then` or by
 * `await`, reads `constructor` first, so a getter in its place learns whether somebody else did.
 */
function cover(promise: Promise<unknown>): Subscribe | undefined {
  if (findMethod(promise, 'then') !== then || Object.hasOwn(promise, 'constructor')) return undefined;
  let isSubscribing = false;
  // Rejected with the promise, and unhandled as long as nobody else subscribes to the promise.
  let observer: Promise<unknown> | undefined;
  const get = () => {
    // `then` makes a plain promise where there is no constructor, so that no code of a subclass runs.
    if (isSubscribing) return undefined;
    if (observer !== undefined) Reflect.apply(then, observer, [undefined, () => {}]);
    return Reflect.get(Object.getPrototypeOf(promise), 'constructor', promise);
  };
  if (!Reflect.defineProperty(promise, 'constructor', { get, configurable: true })) return undefined;
  const subscribe: Subscribe = (onSettled) => {
    const isFirst = observer === undefined;
    isSubscribing = true;
    const subscription = Reflect.apply(then, promise, [
      (result: unknown) => onSettled({ result }),
      (error: unknown) => {
        onSettled({ error });
        if (isFirst) throw error;
      },
    ]);
    isSubscribing = false;
    observer ??= subscription;
  };
  shared.promises.set(promise, subscribe);
  return subscribe;
}
