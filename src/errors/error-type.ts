/** The name that a failure is counted under; `docs/semantic-conventions.md`, section 4. */
import { VALUE_OTHER } from '../semconv.js';

const CODE = /^[A-Z0-9_]{1,64}$/;
const CLASS_NAME = /^[\w$]{1,64}$/;

/**
 * @param error anything that was thrown
 * @param backgroundTag tag of the catalog record that matched it, if one did
 * @returns the tag, the error's `code`, the name of its class, or `_OTHER`, the first there is
 * @throws only what reading the error throws
 */
export function errorTypeOf(error: unknown, backgroundTag: string | undefined): string {
  return backgroundTag ?? codeOf(error) ?? classNameOf(error) ?? VALUE_OTHER;
}

/** Name of the error's class; for a thrown primitive, `undefined`. Never the writable `name`. */
export function classNameOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const errorClass: unknown = error.constructor;
  if (typeof errorClass !== 'function') return undefined;
  const name: unknown = errorClass.name;
  return typeof name === 'string' && CLASS_NAME.test(name) ? name : undefined;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && CODE.test(error.code) ? error.code : undefined;
}
