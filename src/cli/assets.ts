/** Writes the assets that the package ships, but not over files that the user has changed. */
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_VERSION } from '../version.js';
import { translateFile } from './naming/files.js';
import type { Target } from './naming/promql.js';

const SHIPPED = fileURLToPath(new URL('../../observability/generated/', import.meta.url));

const AS_SHIPPED: Target = { naming: 'underscores', hasNativeHistograms: false };

/** The file that records what was written into a folder. By it a later version knows files that the user has changed. */
export const RECORD_FILE = '.paperclip-assets.json';

/** A path of a file that a version of this package can have written. The record may come from somebody else. */
const OWN_PATH = /^[\w-]+([./][\w-]+)*$/;

/** Paths relative to the folder, with slashes, sorted. */
export interface WrittenAssets {
  readonly written: readonly string[];
  /** Files that were there already, with the same content. */
  readonly unchanged: readonly string[];
  /** Files that somebody changed since they were written, or that this package did not write. They stay as they are. */
  readonly changed: readonly string[];
  /** Links in place of a file, or of a folder on the way to one. They stay, and nothing is written through them. */
  readonly links: readonly string[];
  /** Files of an earlier version that this one does not have. They stay where they are. */
  readonly retired: readonly string[];
}

/**
 * Writes dashboards, rules and provisioning. A file is written beside its place and then renamed, so it is there whole or not at
 * all. Nothing is written through a link below the folder: a folder that comes from somebody else could lead anywhere.
 *
 * @param folder is made if it is not there. It may itself be a link to a folder, because the user named it.
 * @param force whether files that the user has changed, and links, are replaced; what a link leads to stays
 * @param target the names that they are written with
 * @throws Error that names what cannot be written
 */
export function writeAssets(folder: string, force: boolean, target: Target = AS_SHIPPED): WrittenAssets {
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new Error(`${folder} is not a folder; name one to write into`);
  const recorded = readRecord(folder);
  const assets = filesIn(SHIPPED).map((path) => {
    const content = Buffer.from(translateFile(path, readFileSync(join(SHIPPED, path), 'utf8'), target));
    const link = linkOnTheWay(folder, path);
    const found = link === undefined ? contentOf(join(folder, path)) : undefined;
    return { path, content, digest: digestOf(content), link, found: found && digestOf(found) };
  });
  const shipped = new Set(assets.map(({ path }) => path));
  const outdated = assets.filter(({ digest, found }) => found !== digest);
  const kept = force
    ? []
    : outdated.filter(
        ({ path, link, found }) => link !== undefined || (found !== undefined && found !== recorded[path]),
      );
  const written = outdated.filter((asset) => !kept.includes(asset));
  for (const { path, content, link } of written) {
    // A linked file is replaced by the rename. Of several files behind a linked folder, the first one removes the link.
    if (link !== undefined && link !== path && isLink(join(folder, link))) rmSync(join(folder, link));
    replaceFile(join(folder, path), content);
  }
  const files = Object.fromEntries(assets.map(({ path, digest }) => [path, digest]));
  for (const { path } of kept) {
    // The record keeps what was written there last, so that every version sees that the file was changed.
    const last = recorded[path];
    if (last === undefined) delete files[path];
    else files[path] = last;
  }
  const record = JSON.stringify({ version: PACKAGE_VERSION, files }, undefined, 2);
  replaceFile(join(folder, RECORD_FILE), `${record}\n`);
  return {
    written: written.map(({ path }) => path),
    unchanged: assets.filter((asset) => !outdated.includes(asset)).map(({ path }) => path),
    changed: kept.filter(({ link }) => link === undefined).map(({ path }) => path),
    links: [...new Set(kept.flatMap(({ link }) => link ?? []))],
    retired: Object.keys(recorded).filter((path) => !shipped.has(path) && existsSync(join(folder, path))),
  };
}

/** @returns the SHA-256 of each file that was written, by path; nothing where the record cannot be read */
function readRecord(folder: string): Readonly<Record<string, string>> {
  const path = join(folder, RECORD_FILE);
  const text = isLink(path) ? undefined : contentOf(path)?.toString();
  if (text === undefined) return {};
  try {
    const files: Record<string, string> = { ...JSON.parse(text).files };
    return Object.fromEntries(Object.entries(files).filter(([file]) => OWN_PATH.test(file)));
  } catch {
    return {};
  }
}

/**
 * @returns the first link on the way from the folder to the file, which may be the file itself
 * @throws Error where a file is in place of a folder
 */
function linkOnTheWay(folder: string, path: string): string | undefined {
  const parts = path.split('/');
  for (let n = 1; n <= parts.length; n += 1) {
    const way = parts.slice(0, n).join('/');
    const found = statsOf(join(folder, way));
    if (found === undefined) return undefined;
    if (found.isSymbolicLink()) return way;
    if (n < parts.length && !found.isDirectory())
      throw new Error(`${join(folder, way)} is not a folder; move it away`);
  }
  return undefined;
}

function isLink(path: string): boolean {
  return statsOf(path)?.isSymbolicLink() === true;
}

/** Of the link itself where the path is one; undefined where there is nothing. */
function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** @throws Error where something else is in place of the file; reading a pipe would never end */
function contentOf(path: string): Buffer | undefined {
  const found = statsOf(path);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new Error(`${path} is not a file; move it away`);
  return readFileSync(path);
}

/** Writes a file with the mode and owner of the one that it replaces, and makes its folder. */
function replaceFile(path: string, content: Buffer | string): void {
  // Neither Grafana nor Prometheus reads a file with this ending.
  const beside = `${path}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Some file systems say only at a flush that they are full.
    writeFileSync(beside, content, { flag: 'wx', flush: true });
    const replaced = statsOf(path);
    if (replaced?.isFile()) keepOwnerAndMode(beside, replaced);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new Error(`${path} cannot be written: ${(error as Error).message}`);
  }
}

function keepOwnerAndMode(path: string, { uid, gid, mode }: Stats): void {
  try {
    chownSync(path, uid, gid);
  } catch {
    // Only root may give a file away.
  }
  chmodSync(path, mode & 0o777);
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
