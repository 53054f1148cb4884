/** The name under which a failure is counted; `docs/semantic-conventions.md`, section 4. */
import { VALUE_OTHER } from '../semconv.js';

const CODE = /^[A-Z0-9_]{1,64}$/;
const CLASS_NAME = /^[\w$]{1,64}$/;

/**
 * @param error anything that was thrown
 * @param backgroundTag tag of the catalog record that matched it, if one did
 * @returns the first that exists of: the tag, the error's `code`, the name of its class, `_OTHER`
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

/** How many codes and class names are kept apart, beside the tags of the catalog. */
export const MAX_UNCLASSIFIED = 32;

/** Bounds the names of failures: they are an attribute of metrics, and a host can make up any number of them. */
export class ErrorTypes {
  readonly #unclassified = new Set<string>();

  /**
   * @param tags of the catalog, which are never bounded
   * @returns the name, or `_OTHER` once {@link MAX_UNCLASSIFIED} other names have been seen
   */
  bounded(name: string, tags: ReadonlySet<string>): string {
    if (tags.has(name) || name === VALUE_OTHER || this.#unclassified.has(name)) return name;
    if (this.#unclassified.size >= MAX_UNCLASSIFIED) return VALUE_OTHER;
    this.#unclassified.add(name);
    return name;
  }
}
