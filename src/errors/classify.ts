/** Finds the catalog record that an error, or one of the errors inside it, belongs to. */
import { builtInCatalog, type CompiledRecord, compileCatalog, type ErrorCatalog } from './catalog.js';

/** What an error was recognised as. */
export interface ErrorClassification {
  readonly backgroundTag: string;
  readonly slug: string;
  readonly handlingStrategy?: string | undefined;
  /** The error whose message matched: the given one, or one that it carries. */
  readonly error: unknown;
  /**
   * The message of `error`, where it is exactly the fixed message of the record and therefore carries
   * nothing of the host's data.
   */
  readonly fixedMessage?: string | undefined;
}

/** How many errors are looked at inside one error, over `cause` and `AggregateError`. */
const MAX_ERRORS = 32;
/** A longer message is matched by its beginning only, so that a huge one costs no more. */
const MAX_MESSAGE_LENGTH = 8192;

/**
 * Classifies an error by the first record that matches it, or else one of the errors inside it: `cause` and
 * the members of an `AggregateError`, nearest first, at most 32 errors in all.
 *
 * @param error anything that was thrown
 * @param catalog the records to match, earlier ones first; the built-in ones by default
 * @returns tag, slug and handling strategy of the record and the error that matched, or `undefined`
 * @throws only what reading the error throws
 */
export function classifyLeaseError(
  error: unknown,
  catalog: ErrorCatalog = builtInCatalog,
): ErrorClassification | undefined {
  const records = compileCatalog(catalog);
  const queue: unknown[] = [error];
  const seen = new Set<unknown>();
  for (let next = 0; next < queue.length && next < MAX_ERRORS; next += 1) {
    const candidate = queue[next];
    if (typeof candidate !== 'object' || candidate === null || seen.has(candidate)) continue;
    seen.add(candidate);
    const found = match(candidate, records);
    if (found !== undefined) return found;
    if ('cause' in candidate) queue.push(candidate.cause);
    if ('errors' in candidate && Array.isArray(candidate.errors)) {
      queue.push(...candidate.errors.slice(0, MAX_ERRORS));
    }
  }
  return undefined;
}

function match(candidate: object, records: readonly CompiledRecord[]): ErrorClassification | undefined {
  const message = 'message' in candidate ? candidate.message : undefined;
  if (typeof message !== 'string') return undefined;
  const text = message.slice(0, MAX_MESSAGE_LENGTH);
  const record = records.find((entry) => entry.matches(text))?.record;
  if (record === undefined) return undefined;
  return {
    backgroundTag: record.backgroundTag,
    slug: record.slug,
    handlingStrategy: record.handlingStrategy ?? undefined,
    error: candidate,
    fixedMessage: message === record.errorMessage ? message : undefined,
  };
}
