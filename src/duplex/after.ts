import { attempt } from '../base/faults.js';
import { disguise } from '../wrap/disguise.js';
import type { WrapMethod } from '../wrap/patch.js';

/** Wraps a method: calls the host's, then tells what it was called with. */
export function after(tell: (args: readonly unknown[]) => void): WrapMethod {
  return (original) =>
    disguise(original, (self, args) => {
      const result = Reflect.apply(original, self, args);
      attempt('observing a duplex channel failed', () => tell(args));
      return result;
    });
}
