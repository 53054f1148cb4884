/**
 * Puts wrappers where an object's methods are, so that the object stays itself: the same identity, the same
 * keys, the same `this`. A method is replaced where it stands, on the object or on a prototype of it. A method
 * that is missing stays missing, and a getter is never called before the host calls it.
 */
import { types } from 'node:util';
import type { HostFunction } from './disguise.js';
import { shared } from './shared.js';

/** Wraps one method. `onlyFor` limits the wrapper to these receivers; without it, it serves every call. */
export type WrapMethod = (original: HostFunction, onlyFor?: WeakSet<object>) => HostFunction;

/** How to wrap each method, by its name. */
export type Wrappings = ReadonlyMap<PropertyKey, WrapMethod>;

/**
 * Wraps the methods in place, all or none.
 *
 * @returns false where that cannot be done: the object or its prototype is frozen, or it is a proxy, whose
 *   methods need not stand anywhere
 */
export function patchInPlace(target: object, wrappings: Wrappings): boolean {
  if (types.isProxy(target)) return false;
  const places = [...wrappings].flatMap(([key, wrap]) => findPlace(target, key, wrap) ?? []);
  if (!places.every(({ descriptor }) => isReplaceable(descriptor))) return false;
  for (const { holder, key, descriptor, wrap } of places) {
    const onlyFor = holder === target ? undefined : receiversOf(holder).add(target);
    Object.defineProperty(
      holder,
      key,
      wrapDescriptor(descriptor, (original) => wrap(original, onlyFor)),
    );
  }
  return true;
}

/**
 * Wraps the methods on this one object, for wrappers that belong to it alone. An inherited method gets a wrapper
 * of the object's own, which is not enumerable.
 *
 * @returns false where that cannot be done
 */
export function patchOwn(target: object, wrappings: Wrappings): boolean {
  if (types.isProxy(target)) return false;
  const places = [...wrappings]
    .flatMap(([key, wrap]) => findPlace(target, key, wrap) ?? [])
    .filter(({ descriptor }) => typeof descriptor.value === 'function');
  const canPatch = places.every(({ holder, descriptor }) =>
    holder === target ? isReplaceable(descriptor) : Object.isExtensible(target),
  );
  if (!canPatch) return false;
  for (const { holder, key, descriptor, wrap } of places) {
    const inherited = holder === target ? {} : { configurable: true, writable: true, enumerable: false };
    Object.defineProperty(target, key, { ...descriptor, ...inherited, value: wrap(descriptor.value) });
  }
  return true;
}

function isReplaceable({ configurable, writable }: PropertyDescriptor): boolean {
  return configurable === true || writable === true;
}

interface Place {
  readonly holder: object;
  readonly key: PropertyKey;
  readonly descriptor: PropertyDescriptor;
  readonly wrap: WrapMethod;
}

function findPlace(target: object, key: PropertyKey, wrap: WrapMethod): Place | undefined {
  for (let holder: object | null = target; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor === undefined) continue;
    const isMethod = typeof descriptor.value === 'function' || descriptor.get !== undefined;
    return isMethod ? { holder, key, descriptor, wrap } : undefined;
  }
  return undefined;
}

function wrapDescriptor(
  descriptor: PropertyDescriptor,
  wrap: (original: HostFunction) => HostFunction,
): PropertyDescriptor {
  const { get, value } = descriptor;
  if (get === undefined) return { ...descriptor, value: wrap(value) };
  const wrapOnce = memoize(wrap);
  return {
    ...descriptor,
    get(this: unknown): unknown {
      const current: unknown = Reflect.apply(get, this, []);
      return typeof current === 'function' ? wrapOnce(current as HostFunction) : current;
    },
  };
}

/** Objects whose inherited methods are instrumented, for the prototype that holds them. */
function receiversOf(holder: object): WeakSet<object> {
  let receivers = shared.receivers.get(holder);
  if (receivers === undefined) {
    receivers = new WeakSet();
    shared.receivers.set(holder, receivers);
  }
  return receivers;
}

/**
 * A stand-in for an object that cannot be patched in place. It shows the object itself, with the methods
 * wrapped. Every method that is called on it runs with the object as `this`, so that private fields work.
 */
export function standIn<T extends object>(target: T, wrappings: Wrappings): T {
  const bind = (inner: HostFunction): HostFunction =>
    new Proxy(inner, {
      apply: (_inner, self, args) => Reflect.apply(inner, self === proxy ? target : self, args),
    });
  const bindOnce = memoize(bind);
  const wrapOnce = new Map(
    [...wrappings].map(([key, wrap]) => [key, memoize((fn) => bindWrapper(wrap(fn)))]),
  );
  const bindWrapper = (wrapper: HostFunction): HostFunction => {
    const bound = bind(wrapper);
    const slot = shared.wrappers.get(wrapper);
    if (slot !== undefined) shared.wrappers.set(bound, slot);
    return bound;
  };
  const proxy: T = new Proxy(Object.create(null), {
    get(_shadow, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || key === 'constructor') return value;
      return (wrapOnce.get(key) ?? bindOnce)(value as HostFunction);
    },
    set: (_shadow, key, value) => Reflect.set(target, key, value, target),
    has: (_shadow, key) => Reflect.has(target, key),
    deleteProperty: (_shadow, key) => Reflect.deleteProperty(target, key),
    defineProperty: (_shadow, key, descriptor) => Reflect.defineProperty(target, key, descriptor),
    ownKeys: () => Reflect.ownKeys(target),
    getPrototypeOf: () => Reflect.getPrototypeOf(target),
    getOwnPropertyDescriptor(_shadow, key) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      // A proxy may not call a property permanent that its own, empty target does not have.
      return descriptor && { ...descriptor, configurable: true };
    },
  });
  return proxy;
}

function memoize(make: (original: HostFunction) => HostFunction): (original: HostFunction) => HostFunction {
  const made = new WeakMap<HostFunction, HostFunction>();
  return (original) => {
    let result = made.get(original);
    if (result === undefined) {
      result = make(original);
      made.set(original, result);
    }
    return result;
  };
}
