/** Finds the catalog record that an error, or one of the errors inside it, belongs to. */
import type { LeaseShape } from '../semconv.js';
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
 * A built-in record matches a whole message. A message that only contains its text may quote what an agent printed. It
 * counts where `leaseShape` is that of the leases on which Paperclip throws the error: `plugin_incomplete` for
 * `missing-metadata-field`, `non_plugin` for `unsupported-driver-operation`.
 *
 * @param error anything that was thrown
 * @param catalog the records to match, earlier ones first; the built-in ones by default
 * @param leaseShape shape of the lease that the operation had, as `describeLeaseShape` says it
 * @returns tag, slug and handling strategy of the record and the error that matched, or `undefined`
 * @throws only what reading the error throws
 */
export function classifyLeaseError(
  error: unknown,
  catalog: ErrorCatalog = builtInCatalog,
  leaseShape?: LeaseShape,
): ErrorClassification | undefined {
  const records = compileCatalog(catalog);
  const whole = firstMatch(error, records, (entry, text) => entry.matches(text));
  if (whole !== undefined || leaseShape === undefined) return whole;
  return firstMatch(error, records, (entry, text) => entry.matchesPart?.(text, leaseShape) ?? false);
}

interface Message {
  readonly error: object;
  readonly text: string;
}

/** The messages of an error and of those inside it, nearest first. */
function* messagesOf(error: unknown): Generator<Message> {
  const queue: unknown[] = [error];
  const seen = new Set<unknown>();
  for (let next = 0; next < queue.length && next < MAX_ERRORS; next += 1) {
    const candidate = queue[next];
    if (typeof candidate !== 'object' || candidate === null || seen.has(candidate)) continue;
    seen.add(candidate);
    const text = 'message' in candidate ? candidate.message : undefined;
    if (typeof text === 'string') yield { error: candidate, text };
    if ('cause' in candidate) queue.push(candidate.cause);
    if ('errors' in candidate && Array.isArray(candidate.errors)) {
      queue.push(...candidate.errors.slice(0, MAX_ERRORS));
    }
  }
}

function firstMatch(
  outermost: unknown,
  records: readonly CompiledRecord[],
  matches: (record: CompiledRecord, text: string) => boolean,
): ErrorClassification | undefined {
  for (const { error, text } of messagesOf(outermost)) {
    const beginning = text.slice(0, MAX_MESSAGE_LENGTH);
    const record = records.find((entry) => matches(entry, beginning))?.record;
    if (record !== undefined) {
      return {
        backgroundTag: record.backgroundTag,
        slug: record.slug,
        handlingStrategy: record.handlingStrategy ?? undefined,
        error,
        fixedMessage: text === record.errorMessage ? text : undefined,
      };
    }
  }
  return undefined;
}
