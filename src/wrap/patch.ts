/**
 * Puts wrappers where an object's methods are, so that the object stays the same object. A method that is missing stays
 * missing, and a property with a getter is left alone. Published Paperclip makes services, drivers, channels and facades
 * as plain objects; a fork, or the caller of `instrumentDriver`, may make them of classes.
 */
import { types } from 'node:util';
import type { HostFunction } from '../base/values.js';

export type WrapMethod = (original: HostFunction) => HostFunction;

/** How to wrap each method, by its name. */
export type Wrappings = ReadonlyMap<PropertyKey, WrapMethod>;

/**
 * Wraps the methods of this one object, all or none. An inherited method is covered by a property of the object itself
 * that is not enumerable, so that other objects of its class are not touched.
 *
 * @returns false where that is not possible: the object is frozen, or it is a proxy, which need not keep what is put there
 */
export function patchInPlace(target: object, wrappings: Wrappings): boolean {
  if (types.isProxy(target)) return false;
  const methods = [...wrappings].flatMap(([key, wrap]) => {
    const original = findMethod(target, key);
    return original === undefined ? [] : [{ key, wrap, original, own: ownProperty(target, key) }];
  });
  if (!methods.every(({ own }) => own.configurable === true || own.writable === true)) return false;
  for (const { key, wrap, original, own } of methods)
    Object.defineProperty(target, key, { ...own, value: wrap(original) });
  return true;
}

/** The property of the object itself, or what can be made one. */
function ownProperty(target: object, key: PropertyKey): PropertyDescriptor {
  const isFree = Object.isExtensible(target);
  return (
    Object.getOwnPropertyDescriptor(target, key) ?? {
      configurable: isFree,
      enumerable: false,
      writable: isFree,
    }
  );
}

/** The method of that name, on the object or a prototype of it. Calls no getter. */
export function findMethod(target: object, key: PropertyKey): HostFunction | undefined {
  for (let holder: object | null = target; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined)
      return typeof descriptor.value === 'function' ? descriptor.value : undefined;
  }
  return undefined;
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
