/** A catalog of error records: loading, with a readable problem for each bad record, and compiling. */
import { BUILT_IN_RECORDS } from './built-in.js';
import { type ErrorRecord, ErrorRecordSchema } from './record.js';

/** A record that was not loaded, and why. */
export interface CatalogProblem {
  /** Position of the record in its source, from 0. */
  readonly index: number;
  /** Slug of the record, where it has one that can be read. */
  readonly slug?: string | undefined;
  /** Field that is wrong, with a dot for each level; empty where the record as a whole is. */
  readonly field: string;
  /** One sentence that names the source, the record, the field and the problem. */
  readonly message: string;
}

/** Records that errors are classified with, earlier ones first. */
export interface ErrorCatalog {
  readonly records: readonly ErrorRecord[];
  /** Records of the source that are not in `records`. */
  readonly problems: readonly CatalogProblem[];
}

/** Where a catalog came from, for messages. */
export interface LoadErrorCatalogOptions {
  /** Name of the source, for example the path of its file. Default: `error catalog`. */
  readonly source?: string;
}

/** The records that this package brings along. */
export const builtInCatalog: ErrorCatalog = { records: BUILT_IN_RECORDS, problems: [] };

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

/** One catalog of several, earlier ones first. */
export function combineCatalogs(...catalogs: readonly ErrorCatalog[]): ErrorCatalog {
  return {
    records: catalogs.flatMap((catalog) => catalog.records),
    problems: catalogs.flatMap((catalog) => catalog.problems),
  };
}

/** A record with its pattern compiled. */
export interface CompiledRecord {
  readonly record: ErrorRecord;
  matches(message: string): boolean;
}

const compiled = new WeakMap<ErrorCatalog, readonly CompiledRecord[]>();

/** The records of a catalog with their patterns compiled, once for a catalog. */
export function compileCatalog(catalog: ErrorCatalog): readonly CompiledRecord[] {
  let records = compiled.get(catalog);
  if (records === undefined) {
    records = catalog.records.map(compileRecord);
    compiled.set(catalog, records);
  }
  return records;
}

function compileRecord(record: ErrorRecord): CompiledRecord {
  if (record.messagePattern == null) {
    return { record, matches: (message) => message === record.errorMessage };
  }
  const pattern = new RegExp(record.messagePattern);
  return { record, matches: (message) => pattern.test(message) };
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
