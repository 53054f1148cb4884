/** What the caller of an operation sees: what came back or was thrown, how, and whether it is the very object. */
import { types } from 'node:util';

const NativeError = globalThis.Error;

/** Errors that a scenario made itself, for workers to throw. */
export const ownErrors = [];

/** Calls `work` once and describes what its caller sees. */
export async function watch(work) {
  const made = [...ownErrors];
  const restore = noteErrors(made);
  try {
    const returned = work();
    const isPromise = types.isPromise(returned);
    try {
      return { isPromise, value: await returned };
    } catch (error) {
      return { isPromise, rejected: describe(error, made) };
    }
  } catch (error) {
    return { isPromise: false, thrown: describe(error, made) };
  } finally {
    restore();
  }
}

/**
 * Notes every error that is made with `new Error`, so that the one that is caught can be held against the one
 * that the server made. The errors themselves are as ever.
 */
function noteErrors(made) {
  globalThis.Error = new Proxy(NativeError, {
    construct(target, args, newTarget) {
      const error = Reflect.construct(target, args, newTarget === globalThis.Error ? target : newTarget);
      made.push(error);
      return error;
    },
  });
  return () => {
    globalThis.Error = NativeError;
  };
}

/** A copy would be a second error with the same message. */
function isOnly(found, error) {
  return found.length === 1 && found[0] === error;
}

function describe(error, made) {
  if (!types.isNativeError(error)) return { notAnError: String(error) };
  return {
    class: error.constructor.name,
    message: error.message,
    ownKeys: Reflect.ownKeys(error).map(String),
    hasPrototypeOfError: Object.getPrototypeOf(error) === NativeError.prototype,
    isFrozen: Object.isFrozen(error),
    isTheOneThatWasMade: isOnly(
      made.filter(({ message }) => message === error.message),
      error,
    ),
  };
}
