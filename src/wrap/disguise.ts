/** Makes functions that replace a host's function without the host noticing. */
import { types } from 'node:util';
import type { HostFunction } from '../base/values.js';

/** Called with `this` and the arguments of each call. */
export type Handler = (self: unknown, args: unknown[]) => unknown;

/**
 * Makes a function that looks like the original and calls the handler. Methods, arrow functions and async functions have only
 * a name and a length, so a plain function with both is the cheapest copy. For all others (constructors, mocks with
 * properties, frozen functions) it is a proxy.
 */
export function disguise(original: HostFunction, handler: Handler): HostFunction {
  const { method } = {
    method(this: unknown, ...args: unknown[]): unknown {
      return handler(this, args);
    },
  };
  return disguiseMethod(original, method);
}

/**
 * The same for a handler that is itself a method, which saves a frame on the stack. The method is changed, so it must be a new
 * one. It must be written as a method, because a method is no constructor.
 */
export function disguiseMethod(original: HostFunction, method: HostFunction): HostFunction {
  if (!isPlain(original)) {
    return new Proxy(original, { apply: (_target, self, args) => Reflect.apply(method, self, args) });
  }
  Object.setPrototypeOf(method, Object.getPrototypeOf(original));
  return Object.defineProperties(method, Object.getOwnPropertyDescriptors(original));
}

function isPlain(original: HostFunction): boolean {
  if (types.isProxy(original)) return false;
  const keys = Reflect.ownKeys(original);
  return (
    keys.length === 2 &&
    keys.includes('length') &&
    keys.includes('name') &&
    Object.isExtensible(original) &&
    !isConstructor(original)
  );
}

/** Whether `new` works, also for a bound function, which has no prototype. Calls nothing. */
function isConstructor(original: HostFunction): boolean {
  try {
    Reflect.construct(Object, [], original);
    return true;
  } catch {
    return false;
  }
}
