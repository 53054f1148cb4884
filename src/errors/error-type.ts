/** The name under which a failure is counted; `docs/semantic-conventions.md`, section 4. */
import { ERROR_TYPE_PLUGIN_TIMEOUT, RETURNED_ERROR_TYPES, VALUE_OTHER } from '../semconv.js';

const CODE = /^[A-Z0-9_]{1,64}$/;
const CLASS_NAME = /^[\w$]{1,64}$/;

/** Class of the errors that crossed Paperclip's JSON-RPC boundary (`@paperclipai/plugin-sdk`, `dist/protocol.js`). */
const RPC_ERROR = 'JsonRpcCallError';
/** `JSONRPC_ERROR_CODES` and `PLUGIN_RPC_ERROR_CODES` of the same file. */
const RPC_CODES: ReadonlyMap<unknown, string> = new Map([
  [-32700, 'PARSE_ERROR'],
  [-32600, 'INVALID_REQUEST'],
  [-32601, 'METHOD_NOT_FOUND'],
  [-32602, 'INVALID_PARAMS'],
  [-32603, 'INTERNAL_ERROR'],
  [-32000, 'WORKER_UNAVAILABLE'],
  [-32001, 'CAPABILITY_DENIED'],
  [-32002, 'WORKER_ERROR'],
  [-32003, ERROR_TYPE_PLUGIN_TIMEOUT],
  [-32004, 'METHOD_NOT_IMPLEMENTED'],
  [-32005, 'INVOCATION_SCOPE_DENIED'],
  [-32006, 'CROSS_TENANT_CONFIG'],
  [-32099, 'UNKNOWN'],
]);

/** The two names of a `DOMException` that an `AbortSignal` gives as its reason. */
const ABORT_NAMES: ReadonlySet<unknown> = new Set(['AbortError', 'TimeoutError']);

/**
 * @param error anything that was thrown
 * @param backgroundTag tag of the catalog record that matched it, if one did
 * @returns the first that exists of: the tag, the error's `code`, the name of its JSON-RPC code, the name of an aborted or
 *   timed out `DOMException`, the name of its class, `_OTHER`
 * @throws only what reading the error throws
 */
export function errorTypeOf(error: unknown, backgroundTag: string | undefined): string {
  return backgroundTag ?? codeOf(error) ?? knownName(error) ?? VALUE_OTHER;
}

function knownName(error: unknown): string | undefined {
  const className = classNameOf(error);
  if (className === RPC_ERROR) return RPC_CODES.get((error as { code?: unknown }).code) ?? className;
  if (className !== 'DOMException') return className;
  const { name } = error as DOMException;
  return ABORT_NAMES.has(name) ? name : className;
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

const FIXED: ReadonlySet<string> = new Set([...RETURNED_ERROR_TYPES, VALUE_OTHER]);

/** Bounds the names of failures: they are an attribute of metrics, and a host can make up any number of them. */
export class ErrorTypes {
  readonly #unclassified = new Set<string>();

  /**
   * @param tags of the catalog, which are never bounded. The names for returned failures are not bounded either
   * @returns the name, or `_OTHER` once {@link MAX_UNCLASSIFIED} other names have been seen
   */
  bounded(name: string, tags: ReadonlySet<string>): string {
    if (tags.has(name) || FIXED.has(name) || this.#unclassified.has(name)) return name;
    if (this.#unclassified.size >= MAX_UNCLASSIFIED) return VALUE_OTHER;
    this.#unclassified.add(name);
    return name;
  }
}
