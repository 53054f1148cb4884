/** Finds the user's Paperclip server. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  dependencyOf,
  identify,
  type Layout,
  type Package,
  packageIn,
  realPath,
} from '../../attach/identity.js';
import { RUNTIME } from '../../attach/places.js';
import { serverOf } from '../../attach/server.js';
import { serverPackages } from '../../config.js';
import { LAUNCHER } from '../installation/installed.js';

/** A Paperclip server on disk. */
export interface Server {
  readonly package: Package;
  /** The package with the command that starts the server, where the server was found as its dependency. */
  readonly launcher?: Package | undefined;
  readonly layout: Layout;
  /** URL of the file with the runtime, which the server imports; nothing where there is none. */
  readonly runtime: string | undefined;
  /** How it was found, such as `in this folder` or `by the command paperclipai on the PATH`. */
  readonly foundBy: string;
}

/**
 * @param env the environment of the server
 * @param folder where the search begins: a server is found that a program there would import
 * @param target a folder or file that the user names. No other place is then searched.
 */
export function locateServer(
  env: Readonly<NodeJS.ProcessEnv>,
  folder: string,
  target: string | undefined,
): Server | undefined {
  const names = serverPackages(env);
  if (target !== undefined) return at(target, names, 'as named');
  const here = at(folder, names, 'from this folder');
  // In the folder of a fork that is not configured, the user means the fork, and no server elsewhere.
  if (here !== undefined || locateFork(folder) !== undefined) return here;
  return (
    first(commandsOn(env), names, `by the command ${LAUNCHER} on the PATH`) ??
    first(globalFolders(env), names, 'among the global packages') ??
    first(npxFolders(env), names, "in npx's cache")
  );
}

/**
 * A package with another name and the files of Paperclip's server: a fork that is not configured.
 *
 * @param path a folder or file in it or in its repository
 */
export function locateFork(path: string): Package | undefined {
  return findAbove(path, forkIn);
}

/** The same, in this folder or in `server` below it. */
export function forkIn(folder: string): Package | undefined {
  return [folder, join(folder, 'server')]
    .map(packageIn)
    .find((candidate) => candidate !== undefined && runtimeOf(candidate) !== undefined);
}

/** What is found in a folder, or else in the nearest one above it; nothing for a path that does not exist. */
export function findAbove<T>(path: string, find: (folder: string) => T | undefined): T | undefined {
  const real = realPath(path);
  if (real === undefined) return undefined;
  for (let folder = real; ; folder = dirname(folder)) {
    const found = find(folder);
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

function first(paths: readonly string[], names: readonly string[], foundBy: string): Server | undefined {
  for (const path of paths) {
    const server = at(path, names, foundBy);
    if (server !== undefined) return server;
  }
  return undefined;
}

/** The server that a path belongs to, or that a program there would import; none where a fork is nearer. */
function at(path: string, names: readonly string[], foundBy: string): Server | undefined {
  const found = findAbove(path, (folder) => inFolder(folder, names) ?? forkIn(folder));
  if (found === undefined || !('package' in found)) return undefined;
  return { ...found, ...filesOf(found.package, realPath(path)), foundBy };
}

type Installed = Pick<Server, 'package' | 'launcher'>;

function inFolder(folder: string, names: readonly string[]): Installed | undefined {
  // In Paperclip's repository the server is in `server`.
  return (
    among([folder, join(folder, 'server')], names) ??
    behindLauncher(folder, names) ??
    among(
      names.map((name) => dependencyOf(folder, name)?.folder),
      names,
    )
  );
}

/** The first one with a runtime: the root of a repository may have one of the names, too. */
function among(folders: readonly (string | undefined)[], names: readonly string[]): Installed | undefined {
  const all = folders
    .map(realPackageIn)
    .filter((found) => found !== undefined)
    .filter(({ name }) => names.includes(name));
  const found = all.find((each) => runtimeOf(each) !== undefined) ?? all[0];
  return found && { package: found };
}

/** The server that the launcher starts: its dependency, which is nested in it, or beside it, also in pnpm's store. */
function behindLauncher(folder: string, names: readonly string[]): Installed | undefined {
  for (const place of [folder, dependencyOf(folder, LAUNCHER)?.folder]) {
    const launcher = realPackageIn(place);
    if (launcher?.name !== LAUNCHER) continue;
    const server = serverOf(names, join(launcher.folder, 'package.json'));
    const found = server && realPackageIn(server.folder);
    if (found !== undefined) return { package: found, launcher };
  }
  return undefined;
}

function realPackageIn(folder: string | undefined): Package | undefined {
  const real = realPath(folder);
  return real === undefined ? undefined : packageIn(real);
}

/** @param named a path in the package. Where it is among the sources, they are run although there is a build. */
function filesOf(server: Package, named: string | undefined): Pick<Server, 'layout' | 'runtime'> {
  const runtime = runtimeOf(server, named);
  const file = pathToFileURL(runtime ?? join(server.folder, 'package.json')).href;
  return {
    layout: identify(file)?.layout ?? 'workspace',
    runtime: runtime === undefined ? undefined : file,
  };
}

function runtimeOf({ folder }: Package, named = ''): string | undefined {
  const built = join(folder, 'dist', `${RUNTIME}.js`);
  const source = join(folder, 'src', `${RUNTIME}.ts`);
  const isSourceNamed = named.startsWith(join(folder, 'src') + sep);
  return (isSourceNamed ? [source, built] : [built, source]).find((path) => existsSync(path));
}

/** The programs of the commands `paperclipai` on the PATH, in its order. */
function commandsOn(env: Readonly<NodeJS.ProcessEnv>): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => {
    const command = realPath(join(folder, LAUNCHER));
    const program = command === undefined ? undefined : behindShim(command);
    return program === undefined ? [] : [program];
  });
}

/**
 * The program behind a command. The commands of pnpm, and of npm on Windows, are scripts that name it.
 *
 * @returns nothing for something else, such as a folder
 */
function behindShim(command: string): string | undefined {
  if (/\.[cm]?js$/.test(command)) return command;
  try {
    const named = /"\$basedir\/([^"]+\.[cm]?js)"/.exec(readFileSync(command, 'utf8'))?.[1];
    return named === undefined ? command : resolve(dirname(command), named);
  } catch {
    return undefined;
  }
}

function globalFolders(env: Readonly<NodeJS.ProcessEnv>): string[] {
  const nodes = dirname(process.execPath);
  // npx and the scripts of npm set these variables. The default is beside Node.js.
  const prefixes = [
    env.npm_config_global_prefix,
    env.npm_config_prefix,
    process.platform === 'win32' ? nodes : dirname(nodes),
  ];
  return prefixes
    .filter((prefix) => prefix !== undefined)
    .map((prefix) => (process.platform === 'win32' ? prefix : join(prefix, 'lib')));
}

/** The folders in which npx has installed packages, the latest first. */
function npxFolders(env: Readonly<NodeJS.ProcessEnv>): string[] {
  try {
    // `homedir` throws for a user without an entry in the system's list, as in some containers.
    const cache = join(env.npm_config_cache ?? cacheOf(env), '_npx');
    return readdirSync(cache)
      .map((name) => join(cache, name))
      .map((folder) => ({ folder, changed: statSync(folder).mtimeMs }))
      .sort((one, other) => other.changed - one.changed)
      .map(({ folder }) => folder);
  } catch {
    return [];
  }
}

function cacheOf(env: Readonly<NodeJS.ProcessEnv>): string {
  return process.platform === 'win32' && env.LOCALAPPDATA !== undefined
    ? join(env.LOCALAPPDATA, 'npm-cache')
    : join(env.HOME ?? homedir(), '.npm');
}
