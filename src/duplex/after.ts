import { disguise } from '../operations/disguise.js';
import type { WrapMethod } from '../operations/patch.js';
import { attempt } from '../signals/faults.js';

/** Wraps a method: calls the host's, then tells what it was called with. */
export function after(tell: (args: readonly unknown[]) => void): WrapMethod {
  return (original) =>
    disguise(original, (self, args) => {
      const result = Reflect.apply(original, self, args);
      attempt('observing a duplex channel failed', () => tell(args));
      return result;
    });
}
