/** Writes the assets that the package ships, and tells those that a user has changed from those that are only old. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PACKAGE_VERSION } from '../version.js';

const SHIPPED = fileURLToPath(new URL('../../observability/generated/', import.meta.url));

/** In the folder that was written to: what was written there, so that a later version knows its own files. */
export const RECORD_FILE = '.paperclip-assets.json';

const AssetsRecord = z.object({
  version: z.string(),
  /** SHA-256 in hexadecimal digits, by path. */
  files: z.record(z.string(), z.string()),
});

/** Paths relative to the folder, with slashes, in order. */
export interface WrittenAssets {
  readonly written: readonly string[];
  /** Those that were there, as they should be. */
  readonly unchanged: readonly string[];
  /** Those that somebody changed since they were written, or that are not from here. They are left as they are. */
  readonly changed: readonly string[];
  /** Those that an earlier version wrote and this one does not have. They are left where they are. */
  readonly retired: readonly string[];
}

/**
 * Writes dashboards, rules and provisioning, all but the files that were changed.
 *
 * @param folder where to; made if it is not there
 * @param force whether files that were changed since they were written are overwritten
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
    // What was written there last: what is there now is none of ours, whichever version looks at it.
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

/** @returns what an earlier run wrote; a record that cannot be read makes every file that differs a changed one */
function readRecord(folder: string): Readonly<Record<string, string>> {
  const text = contentOf(join(folder, RECORD_FILE))?.toString();
  if (text === undefined) return {};
  try {
    return AssetsRecord.parse(JSON.parse(text)).files;
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
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
}
