/** Writes the assets that the package ships, but not over files that the user has changed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_VERSION } from '../version.js';

const SHIPPED = fileURLToPath(new URL('../../observability/generated/', import.meta.url));

/** The file that records what was written into a folder. By it a later version knows files that the user has changed. */
export const RECORD_FILE = '.paperclip-assets.json';

/** Paths relative to the folder, with slashes, sorted. */
export interface WrittenAssets {
  readonly written: readonly string[];
  /** Files that were there already, with the same content. */
  readonly unchanged: readonly string[];
  /** Files that somebody changed since they were written, or that this package did not write. They stay as they are. */
  readonly changed: readonly string[];
  /** Files of an earlier version that this one does not have. They stay where they are. */
  readonly retired: readonly string[];
}

/**
 * Writes dashboards, rules and provisioning.
 *
 * @param folder is made if it is not there
 * @param force whether files that the user has changed are overwritten
 * @throws Error that names what cannot be written
 */
export function writeAssets(folder: string, force: boolean): WrittenAssets {
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new Error(`${folder} is not a folder; name one to write into`);
  const recorded = readRecord(folder);
  const assets = filesIn(SHIPPED).map((path) => {
    const content = readFileSync(join(SHIPPED, path));
    const found = contentOf(join(folder, path));
    return { path, content, digest: digestOf(content), found: found && digestOf(found) };
  });
  const shipped = new Set(assets.map(({ path }) => path));
  const outdated = assets.filter(({ digest, found }) => found !== digest);
  const changed = force
    ? []
    : outdated.filter(({ path, found }) => found !== undefined && found !== recorded[path]);
  const written = outdated.filter((asset) => !changed.includes(asset));
  for (const { path, content } of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const files = Object.fromEntries(assets.map(({ path, digest }) => [path, digest]));
  for (const { path } of changed) {
    // The record keeps what was written there last, so that every version sees that the file was changed.
    const last = recorded[path];
    if (last === undefined) delete files[path];
    else files[path] = last;
  }
  const record = JSON.stringify({ version: PACKAGE_VERSION, files }, undefined, 2);
  writeFileSync(join(folder, RECORD_FILE), `${record}\n`);
  return {
    written: written.map(({ path }) => path),
    unchanged: assets.filter((asset) => !outdated.includes(asset)).map(({ path }) => path),
    changed: changed.map(({ path }) => path),
    retired: Object.keys(recorded).filter((path) => !shipped.has(path) && existsSync(join(folder, path))),
  };
}

/** @returns the SHA-256 of each file that was written, by path; nothing where the record cannot be read */
function readRecord(folder: string): Readonly<Record<string, string>> {
  const text = contentOf(join(folder, RECORD_FILE))?.toString();
  if (text === undefined) return {};
  try {
    return { ...JSON.parse(text).files };
  } catch {
    return {};
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function filesIn(folder: string): string[] {
  // Not by `withFileTypes`: under Plug'n'Play, `parentPath` is not what it is elsewhere.
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll(sep, '/'))
    .sort();
}
