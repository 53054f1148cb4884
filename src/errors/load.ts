/** Loads error records, with a readable problem for each bad one. The only file in `errors/` that loads zod. */
import * as z from 'zod';
import type { CatalogProblem, ErrorCatalog } from './catalog.js';
import type { ErrorRecord } from './record.js';

/** Checks a value against the format of an {@link ErrorRecord}. */
export interface ErrorRecordSchema {
  /** @throws Error that names each field that is wrong */
  parse(value: unknown): ErrorRecord;
  safeParse(value: unknown):
    | { readonly success: true; readonly data: ErrorRecord }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

/**
 * Matching has a limit of time (`limit.ts`), but V8 cannot be interrupted while it compiles a pattern. Within these two, that
 * takes some milliseconds (tried with random patterns on Node.js 20 to 26); five nested groups can take 0.3 s, and 80 half a minute.
 */
export const MAX_PATTERN = 500;
export const MAX_DEPTH = 3;

const nonEmpty = z.string().min(1);

/** The format of an {@link ErrorRecord}. */
export const ErrorRecordSchema: ErrorRecordSchema = z
  .looseObject({
    schemaVersion: z.literal(2),
    slug: nonEmpty,
    errorMessage: nonEmpty.nullish(),
    messagePattern: nonEmpty
      .max(MAX_PATTERN, { error: `is longer than ${MAX_PATTERN} characters` })
      .refine(isRegularExpression, { error: 'is not a valid regular expression' })
      .refine((source) => depthOf(source) <= MAX_DEPTH, { error: `has groups more than ${MAX_DEPTH} deep` })
      .nullish(),
    backgroundTag: nonEmpty
      .max(64)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, { error: 'may hold letters, digits, ".", "_" and "-" only' }),
    handlingStrategy: nonEmpty.nullish(),
    origin: nonEmpty.nullish(),
  })
  .refine((record) => record.errorMessage != null || record.messagePattern != null, {
    error: 'needs errorMessage or messagePattern',
    path: ['messagePattern'],
  });

/** Where a catalog came from, for messages. */
export interface LoadErrorCatalogOptions {
  /** Name of the source, for example the path of its file. Default: `error catalog`. */
  readonly source?: string;
}

/**
 * Loads error records (`schemaVersion` 2): one record, an array of them, or one a line, each bare or inside
 * `{"record": {...}, "datasetVersion": ...}`. A bad record becomes a problem; the good ones still load.
 *
 * @param json the JSON text, or the value parsed from it
 * @param options name of the source, for messages
 * @returns the loaded records, without the built-in ones, and a problem for each that was not loaded
 * @throws TypeError where the text as a whole is no JSON or holds no record
 */
export function loadErrorCatalog(json: unknown, options: LoadErrorCatalogOptions = {}): ErrorCatalog {
  const source = options.source ?? 'error catalog';
  const entries = typeof json === 'string' ? parseText(json, source) : asEntries(json);
  if (entries.length === 0) throw new TypeError(`${source}: holds no error record`);
  const records: ErrorRecord[] = [];
  const problems: CatalogProblem[] = [];
  entries.forEach((entry, index) => {
    const value = entry instanceof NotJson ? entry : unwrapEnvelope(entry);
    const parsed = value instanceof NotJson ? undefined : ErrorRecordSchema.safeParse(value);
    if (parsed?.success) {
      records.push(parsed.data);
      return;
    }
    const issue = parsed?.error.issues[0];
    const slug = slugOf(value);
    const field = issue?.path.join('.') ?? '';
    const what = value instanceof NotJson ? 'is not JSON' : (issue?.message ?? 'is not a record');
    const where = `${source}: record ${index}${slug === undefined ? '' : ` ("${slug}")`}`;
    problems.push({ index, slug, field, message: `${where}: ${field === '' ? what : `${field}: ${what}`}` });
  });
  return { records, problems };
}

class NotJson {}

function parseText(text: string, source: string): readonly unknown[] {
  const whole = parseJson(text);
  if (!(whole instanceof NotJson)) return asEntries(whole);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.map(parseJson);
  if (entries.every((entry) => entry instanceof NotJson)) {
    throw new TypeError(`${source}: is neither JSON nor one JSON record a line`);
  }
  return entries;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new NotJson();
  }
}

function asEntries(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function unwrapEnvelope(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'record' in entry ? entry.record : entry;
}

function slugOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null || !('slug' in entry)) return undefined;
  return typeof entry.slug === 'string' && entry.slug !== '' ? entry.slug : undefined;
}

function isRegularExpression(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

/** How deep the groups of a valid pattern are nested. */
function depthOf(source: string): number {
  let rest = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, '');
  let depth = 0;
  for (; depth <= MAX_DEPTH && rest.includes('('); depth += 1) rest = rest.replaceAll(/\([^()]*\)/g, '');
  return depth;
}
