/** Finds the catalog record that an error, or one of the errors inside it, belongs to. */
// The global is loaded at its first use, which must not be in the work that has a limit.
import { performance } from 'node:perf_hooks';
import type { LeaseShape } from '../semconv.js';
import { builtInCatalog, type CompiledRecord, compileCatalog, type ErrorCatalog } from './catalog.js';
import { finishes, LIMIT_MS } from './limit.js';
import type { ErrorRecord } from './record.js';

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
export const MAX_MESSAGE_LENGTH = 8192;

/** Records whose pattern has taken too long once, and is not tried again. */
const switchedOff = new WeakSet<ErrorRecord>();

/**
 * Classifies an error by the first record that matches it, or else one of the errors inside it: `cause` and
 * the members of an `AggregateError`, nearest first, at most 32 errors in all.
 *
 * A built-in record matches a whole message. A message that only contains its text may quote what an agent printed. It
 * counts where `leaseShape` is that of the leases on which Paperclip throws the error: `plugin_incomplete` for
 * `missing-metadata-field`, `non_plugin` for `unsupported-driver-operation`.
 *
 * The patterns of all other records together get 3 ms, and are tried twice. If they need more, none of them matches this
 * error, and the one that was being tried is never tried again if it took most of the time.
 *
 * @param error anything that was thrown
 * @param catalog the records to match, earlier ones first; the built-in ones by default
 * @param leaseShape shape of the lease that the operation had, as `describeLeaseShape` says it
 * @param warn called with a sentence that names the record whose pattern is not tried again
 * @returns tag, slug and handling strategy of the record and the error that matched, or `undefined`
 * @throws only what reading the error or `warn` throws
 */
export function classifyLeaseError(
  error: unknown,
  catalog: ErrorCatalog = builtInCatalog,
  leaseShape?: LeaseShape,
  warn?: (message: string) => void,
): ErrorClassification | undefined {
  const records = compileCatalog(catalog);
  // Read before anything is matched: matching can be interrupted, and the error may be the host's own code.
  const messages = [...messagesOf(error)];
  const whole = firstMatch(messages, records, warn);
  if (whole !== undefined || leaseShape === undefined) return whole;
  return search(messages, records, (entry, text) => entry.matchesPart?.(text, leaseShape) ?? false);
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
  messages: readonly Message[],
  records: readonly CompiledRecord[],
  warn: ((message: string) => void) | undefined,
): ErrorClassification | undefined {
  const matches = (entry: CompiledRecord, text: string) => entry.matches(text);
  if (!records.some(({ isSlow }) => isSlow)) return search(messages, records, matches);
  const fast = records.filter(({ isSlow }) => !isSlow);
  const tried = records.filter(({ record }) => !switchedOff.has(record));
  if (messages.length === 0 || tried.length === fast.length) return search(messages, fast, matches);
  let found: ErrorClassification | undefined;
  let current: CompiledRecord | undefined;
  let since = 0;
  const isDone = finishes(() => {
    found = search(messages, tried, (entry, text) => {
      if (entry !== current) since = performance.now();
      current = entry;
      return entry.matches(text);
    });
  });
  if (isDone) return found;
  if (current?.isSlow && performance.now() - since > LIMIT_MS / 2) {
    switchedOff.add(current.record);
    warn?.(
      `error record "${current.record.slug}": its messagePattern takes too long (more than ${LIMIT_MS} ms) and is not tried again; ` +
        'the command "catalog check" says more',
    );
  }
  return search(messages, fast, matches);
}

function search(
  messages: readonly Message[],
  records: readonly CompiledRecord[],
  matches: (record: CompiledRecord, text: string) => boolean,
): ErrorClassification | undefined {
  for (const { error, text } of messages) {
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
