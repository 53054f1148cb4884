/** Tells what comes back from the host's methods apart, and follows promises without the host noticing. */
import { types } from 'node:util';
import { isObject } from '../base/values.js';

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
 * A promise as async functions return it. One of a subclass, or with properties of its own, may be lazy or
 * offer more than a promise does, so it is left alone.
 */
export function isPlainPromise(value: unknown): value is Promise<unknown> {
  return (
    types.isPromise(value) &&
    Object.getPrototypeOf(value) === promisePrototype &&
    Reflect.ownKeys(value).every(isNodesOwn)
  );
}

function isNodesOwn(key: string | symbol): boolean {
  return typeof key === 'symbol' && NODES_OWN.has(key.description);
}

/**
 * Whether a value is, or may be, something to wait for. Looks for `then` and does not read it: a getter is the
 * host's to call. A proxy may answer to every name, as those of RPC libraries do.
 */
export function isThenable(value: unknown): boolean {
  return isObject(value) && (types.isProxy(value) || 'then' in value);
}

/**
 * Follows a promise that the host's method returned.
 *
 * @param promise a plain promise
 * @param onSettled called before anybody who waits for the promise that is returned
 * @returns a promise that settles as the original does, and is unhandled if nobody handles it; the same one
 *   each time, so that a rejection that two callers share is handled when one of them does
 */
export function follow(promise: Promise<unknown>, onSettled: (how: Settled) => void): Promise<unknown> {
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
