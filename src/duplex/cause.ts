import { attempt } from '../base/faults.js';
import { isObject } from '../base/values.js';

const MAX_DEPTH = 32;

/**
 * Adds another error at the end of an error's chain of causes, and returns the same error. An error that cannot be read
 * or changed, or is not an object, stays as it is.
 */
export function withCause(error: unknown, cause: { readonly error: unknown } | undefined): unknown {
  if (cause !== undefined) attempt('adding a cause failed', () => addCause(error, cause.error));
  return error;
}

function addCause(error: unknown, cause: unknown): void {
  let last = error;
  for (let depth = 0; depth < MAX_DEPTH && isObject(last); depth += 1) {
    if (last === cause) return;
    if (last.cause === undefined || last.cause === null) {
      Reflect.defineProperty(last, 'cause', { value: cause, configurable: true, writable: true });
      return;
    }
    last = last.cause;
  }
}
