/** Functions that stand in for a host's function without the host noticing. */
import { types } from 'node:util';
import type { HostFunction } from '../base/values.js';

/** Receives a call of the disguised function: its `this` and its arguments. */
export type Handler = (self: unknown, args: unknown[]) => unknown;

/**
 * Makes a function that has everything of the original but what it does. Methods, arrow functions and async
 * functions have only a name and a length, so a plain function with both is the cheapest copy. Whatever else
 * there is (constructors, mocks with properties, frozen functions) is shown through a proxy.
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
 * The same for a handler that is itself a method, which saves a frame on the stack. It becomes the disguised function,
 * so it must be a new one, written as a method: such a function is no constructor.
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

/** Whether `new` works: also that of a bound function, which has no prototype to tell it by. Calls nothing. */
function isConstructor(original: HostFunction): boolean {
  try {
    Reflect.construct(Object, [], original);
    return true;
  } catch {
    return false;
  }
}
