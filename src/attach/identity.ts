/**
 * Which file of which package a module is: by the name in the nearest package.json and the file's place below
 * it. Paths say too little: in Paperclip's Docker image and in a checkout its packages are under no
 * `node_modules`.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a package came to be where it is. */
export type Layout = 'npm' | 'pnpm' | 'workspace' | 'sources';

/** A package on disk. */
export interface Package {
  readonly name: string;
  readonly version: string | undefined;
  readonly folder: string;
}

/** A file of a package. */
export interface PackageFile {
  readonly package: Package;
  /** The path in the package, without `dist/` or `src/`, and without extension; with `/` on every system. */
  readonly place: string;
  readonly layout: Layout;
}

/** A package and how it came to be there, in words. */
export function describePackage({
  package: { name, version },
  layout,
}: Pick<PackageFile, 'package' | 'layout'>): string {
  return `${name} ${version ?? 'of unknown version'} (layout: ${layout})`;
}

/**
 * @param url a module's URL, which may have a query
 * @returns nothing for what is no file, or in no package
 */
export function identify(url: string): PackageFile | undefined {
  const path = pathOf(url);
  if (path === undefined) return undefined;
  const owner = packageOf(path);
  if (owner === undefined) return undefined;
  const inside = relative(owner.folder, path).split(sep).join('/');
  return {
    package: owner,
    place: inside.replace(/^(?:dist|src)\//, '').replace(/\.[^./]+$/, ''),
    layout: layoutOf(path, inside),
  };
}

/** The path that a file's URL stands for. */
export function pathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    // Not a path that a file can have, such as one with an encoded slash.
    return undefined;
  }
}

/** Where a path leads, without symbolic links; nothing where it leads nowhere, or where there is none. */
export function realPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The package that a file is in: the nearest folder above it whose package.json has a name. */
export function packageOf(path: string): Package | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = packageIn(folder);
    if (found !== undefined) return found;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The package whose root a folder is. */
export function packageIn(folder: string): Package | undefined {
  try {
    const { name, version } = readPackageJson(folder);
    if (typeof name !== 'string') return undefined;
    return { name, version: typeof version === 'string' ? version : undefined, folder };
  } catch {
    return undefined;
  }
}

/** What is read of a package.json. */
interface PackageJson {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly engines?: { readonly node?: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * The package.json in a folder, read as Node.js reads it: it may begin with a byte order mark.
 *
 * @throws where there is none, or it is not JSON
 */
export function readPackageJson(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8').replace(/^\uFEFF/, ''));
}

function layoutOf(path: string, inside: string): Layout {
  if (path.includes(`${sep}node_modules${sep}.pnpm${sep}`)) return 'pnpm';
  if (path.includes(`${sep}node_modules${sep}`)) return 'npm';
  return inside.startsWith('src/') ? 'sources' : 'workspace';
}
