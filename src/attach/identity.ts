/**
 * Says which file of which package a module is, by the name in the nearest package.json and the file's path below it. The
 * path alone does not tell: in Paperclip's Docker image and in a checkout its packages are not in `node_modules`.
 */
import { readFileSync, realpathSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** How a package was installed. */
export type Layout = 'npm' | 'pnpm' | 'pnp' | 'workspace' | 'sources';

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

/** A package and its layout, in words. */
export function describePackage({
  package: { name, version },
  layout,
}: Pick<PackageFile, 'package' | 'layout'>): string {
  return `${name} ${version ?? 'of unknown version'} (layout: ${layout})`;
}

/**
 * @param url a module's URL, which may have a query
 * @returns nothing if it is not a file, or in no package
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

/** The path of a file's URL. */
export function pathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    // No file can have this path, for example because of an encoded slash.
    return undefined;
  }
}

/** The path without symbolic links, or nothing if there is no such file. */
export function realPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Says the same of the file that a path leads to over symbolic links, if there is one. */
export function fileAt(path: string | undefined): PackageFile | undefined {
  const real = realPath(path);
  return real === undefined ? undefined : identify(pathToFileURL(real).href);
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

/** The package that files in a folder get by a name: the one in its `node_modules`, or the one that Plug'n'Play gives them. */
export function dependencyOf(folder: string, name: string): Package | undefined {
  const installed = packageIn(join(folder, 'node_modules', name));
  if (installed !== undefined) return installed;
  try {
    const found = plugAndPlay(folder)?.api.resolveToUnqualified(name, join(folder, sep));
    return found ? packageIn(resolve(found)) : undefined;
  } catch {
    // The folder's package does not depend on it.
    return undefined;
  }
}

/**
 * The project of Yarn's Plug'n'Play that a path belongs to, in a process that runs in one. Its packages are in no
 * `node_modules`, but in zip files, which `fs` can read there. https://yarnpkg.com/advanced/pnpapi
 */
export function plugAndPlay(path: string): { readonly api: PnpApi; readonly location: string } | undefined {
  const api = (nodeModule as { findPnpApi?(path: string): PnpApi | null }).findPnpApi?.(path);
  return api
    ? { api, location: resolve(api.getPackageInformation(api.topLevel).packageLocation) }
    : undefined;
}

interface PnpApi {
  readonly topLevel: object;
  getPackageInformation(locator: object): { readonly packageLocation: string };
  /** @throws where the package that the issuer belongs to does not depend on the other one */
  resolveToUnqualified(name: string, issuer: string): string | null;
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
  if (path.includes(`${sep}node_modules${sep}`)) return plugAndPlay(path) === undefined ? 'npm' : 'pnp';
  return inside.startsWith('src/') ? 'sources' : 'workspace';
}
