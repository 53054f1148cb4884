import type { HostFunction } from './disguise.js';

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
