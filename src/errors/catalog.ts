/** A catalog of error records, and its patterns compiled. */
import type { LeaseShape } from '../semconv.js';
import { BUILT_IN_RECORDS, partOfMessage, SHAPE_OF_TAG } from './built-in.js';
import type { ErrorRecord } from './record.js';

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

/** The records that this package brings along. */
export const builtInCatalog: ErrorCatalog = { records: BUILT_IN_RECORDS, problems: [] };

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
  /** Whether `matches` can take for ever: it is the pattern of an operator. Those of built-in records repeat one class each. */
  readonly isSlow: boolean;
  matches(message: string): boolean;
  /**
   * Whether a message that only contains the text of the record counts, because the lease is of the shape on which
   * Paperclip throws it. For built-in records; others match as they say.
   */
  matchesPart?(message: string, shape: LeaseShape): boolean;
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
    return { record, isSlow: false, matches: (message) => message === record.errorMessage };
  }
  const pattern = new RegExp(record.messagePattern);
  const matches = (message: string) => pattern.test(message);
  if (!BUILT_IN_RECORDS.includes(record)) return { record, isSlow: true, matches };
  const part = new RegExp(partOfMessage(record));
  const shapeOfRecord = SHAPE_OF_TAG[record.backgroundTag];
  return {
    record,
    isSlow: false,
    matches,
    matchesPart: (message, shape) => shape === shapeOfRecord && part.test(message),
  };
}
