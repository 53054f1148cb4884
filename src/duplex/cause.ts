import { isObject } from '../lease/subject.js';

const MAX_DEPTH = 32;

/**
 * The same error, with another one as the end of its chain of causes. One that cannot be changed, or is no
 * object, stays as it is.
 */
export function withCause(error: unknown, cause: { readonly error: unknown } | undefined): unknown {
  if (cause === undefined) return error;
  let last = error;
  for (let depth = 0; depth < MAX_DEPTH && isObject(last); depth += 1) {
    if (last === cause.error) return error;
    if (last.cause === undefined || last.cause === null) {
      Reflect.defineProperty(last, 'cause', { value: cause.error, configurable: true, writable: true });
      return error;
    }
    last = last.cause;
  }
  return error;
}
