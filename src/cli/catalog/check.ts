/** Checks a file of error records more closely than the server does when it loads one. */
import { readFileSync } from 'node:fs';
import { builtInCatalog, type CatalogProblem, type ErrorCatalog } from '../../errors/catalog.js';
import { classifyLeaseError } from '../../errors/classify.js';
import { loadErrorCatalog } from '../../errors/load.js';
import type { ErrorRecord } from '../../errors/record.js';
import { explosionOf } from './explosion.js';

/** No pattern is written for this text, so a pattern that matches it matches nearly everything. */
const ANY = '\uF8FF'.repeat(100);

/** A record, and its position in its source, from 0. */
export interface PlacedRecord {
  readonly index: number;
  readonly record: ErrorRecord;
}

/** What is in a file. */
export interface CheckedCatalog {
  readonly records: readonly PlacedRecord[];
  /** Records that a server leaves out. */
  readonly problems: readonly CatalogProblem[];
  /** Records whose pattern can take for ever. A server tries them until they do. They are not in `records`. */
  readonly explosive: readonly CatalogProblem[];
  /** A sentence about each record that can be loaded, but does not do what it seems to. */
  readonly warnings: readonly string[];
}

/** The first record that a message matches. */
export interface Match extends PlacedRecord {
  /** The file, or `built-in`. */
  readonly source: string;
}

/**
 * Reads and checks error records.
 *
 * @throws Error that names the file, where it cannot be read or holds no records at all
 */
export function checkCatalog(file: string): CheckedCatalog {
  const { records, problems } = loadErrorCatalog(read(file), { source: file });
  const bad = new Set(problems.map(({ index }) => index));
  const good = [...Array(records.length + bad.size).keys()].filter((index) => !bad.has(index));
  const loaded = records.map((record, n) => ({ index: good[n] as number, record }));
  const explosive = loaded.flatMap((entry) => explosionIn(entry, file));
  const placed = loaded.filter(({ index }) => !explosive.some((problem) => problem.index === index));
  const warnings = placed.flatMap((entry, n) =>
    warningsOn(entry, placed.slice(0, n)).map((warning) => `${file}: ${nameOf(entry)}: ${warning}`),
  );
  return { records: placed, problems, explosive, warnings };
}

function explosionIn(entry: PlacedRecord, file: string): CatalogProblem[] {
  const { messagePattern, slug } = entry.record;
  const explosion = messagePattern == null ? undefined : explosionOf(messagePattern);
  if (explosion === undefined) return [];
  const field = 'messagePattern';
  const what = `${explosion}, so it can take for ever on a short message`;
  return [{ index: entry.index, slug, field, message: `${file}: ${nameOf(entry)}: ${field}: ${what}` }];
}

/** @returns the first record of the file that matches, or else the first built-in one, as in a server */
export function matchOf(message: string, file: string, records: readonly PlacedRecord[]): Match | undefined {
  const builtIn = builtInCatalog.records.map((record, index) => ({ source: 'built-in', index, record }));
  return [...records.map((entry) => ({ source: file, ...entry })), ...builtIn].find(({ record }) =>
    matches(record, message),
  );
}

/** The name of a record in messages, the same that problems have. */
export function nameOf({ index, record }: PlacedRecord): string {
  return `record ${index} ("${record.slug}")`;
}

function warningsOn({ record }: PlacedRecord, earlier: readonly PlacedRecord[]): string[] {
  const warnings: string[] = [];
  const { errorMessage, messagePattern, slug } = record;
  const namesake = earlier.find((entry) => entry.record.slug === slug);
  if (namesake !== undefined) warnings.push(`record ${namesake.index} has the same slug`);
  if (errorMessage != null) {
    const first = earlier.find((entry) => matches(entry.record, errorMessage));
    if (first !== undefined)
      warnings.push(`never matches its own errorMessage: ${nameOf(first)} matches it first`);
  }
  if (messagePattern != null) {
    if (errorMessage != null && !matches(record, errorMessage))
      warnings.push('its messagePattern does not match its errorMessage');
    if (matches(record, ANY)) warnings.push('its messagePattern matches any message');
    else if (matches(record, '')) warnings.push('its messagePattern matches an empty message');
  }
  return warnings;
}

function matches(record: ErrorRecord, message: string): boolean {
  const alone: ErrorCatalog = { records: [record], problems: [] };
  return classifyLeaseError({ message }, alone) !== undefined;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Error(`${file}: there is no such file`);
    if (code === 'EISDIR') throw new Error(`${file}: is a folder; name a file`);
    throw new Error(`${file}: cannot be read (${code})`);
  }
}
