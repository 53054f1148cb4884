/**
 * Puts wrappers where an object's methods are, so that the object stays itself: the same identity, the same
 * keys, the same `this`. A method is replaced where it stands, on the object or on a prototype of it. A method
 * that is missing stays missing, and a getter is never called before the host calls it.
 */
import { types } from 'node:util';
import { type HostFunction, isObject } from '../base/values.js';
import { shared } from '../shared.js';
import { disguise } from './disguise.js';

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
 * Wraps the methods for this one object, for wrappers that belong to it alone. A method that it inherits is
 * replaced where it stands, by one that does for other objects what it did.
 *
 * @returns false where that cannot be done
 */
export function patchOwn(target: object, wrappings: Wrappings): boolean {
  if (types.isProxy(target)) return false;
  const places = [...wrappings]
    .flatMap(([key, wrap]) => findPlace(target, key, wrap) ?? [])
    .filter(({ descriptor }) => typeof descriptor.value === 'function');
  if (!places.every(({ descriptor }) => isReplaceable(descriptor))) return false;
  for (const place of places) {
    const { holder, key, descriptor, wrap } = place;
    if (holder === target) {
      Object.defineProperty(target, key, { ...descriptor, value: wrap(descriptor.value) });
    } else {
      const { original, wrappers } = splitByReceiver(place);
      wrappers.set(target, wrap(original));
    }
  }
  return true;
}

/** An inherited method that some objects have a wrapper of their own for. */
interface Split {
  readonly original: HostFunction;
  readonly wrappers: WeakMap<object, HostFunction>;
}

/** By the function that stands in the original's place. */
const splits = new WeakMap<HostFunction, Split>();

function splitByReceiver({ holder, key, descriptor }: Place): Split {
  const original: HostFunction = descriptor.value;
  const before = splits.get(original);
  if (before !== undefined) return before;
  const wrappers = new WeakMap<object, HostFunction>();
  const wrapperOf = (self: unknown) => (isObject(self) ? wrappers.get(self) : undefined);
  const method = disguise(original, (self, args) => Reflect.apply(wrapperOf(self) ?? original, self, args));
  Object.defineProperty(holder, key, { ...descriptor, value: method });
  const split = { original, wrappers };
  splits.set(method, split);
  return split;
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
  const found = findProperty(target, key);
  if (found === undefined) return undefined;
  const { get, value } = found.descriptor;
  return typeof value === 'function' || get !== undefined ? { ...found, key, wrap } : undefined;
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
    get: disguise(get, (self) => {
      const current: unknown = Reflect.apply(get, self, []);
      return typeof current === 'function' ? wrapOnce(current as HostFunction) : current;
    }),
  };
}

/** The method of that name, where finding it calls no getter. */
export function findMethod(target: object, key: PropertyKey): HostFunction | undefined {
  const value: unknown = findProperty(target, key)?.descriptor.value;
  return typeof value === 'function' ? (value as HostFunction) : undefined;
}

/** Where a property stands: on the object or on the nearest prototype that has it. */
function findProperty(
  target: object,
  key: PropertyKey,
): { holder: object; descriptor: PropertyDescriptor } | undefined {
  for (let holder: object | null = target; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) return { holder, descriptor };
  }
  return undefined;
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

/** The same function for the same original, each time. */
export function memoize(
  make: (original: HostFunction) => HostFunction,
): (original: HostFunction) => HostFunction {
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
