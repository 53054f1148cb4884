/** Small questions about values that the host owns. */

/** A function of the host, about which nothing else is known. */
export type HostFunction = (...args: unknown[]) => unknown;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A string that is not empty, or `undefined`: Paperclip's `readString`. White space is not trimmed. */
export function readString(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > 0 ? value : undefined;
}

/** The value if it belongs to the set, `other` if it does not, and nothing for nothing. */
export function closed(
  value: string | undefined,
  set: ReadonlySet<string>,
  other: string,
): string | undefined {
  if (value === undefined) return undefined;
  return set.has(value) ? value : other;
}
