/** Check: whether there is a Paperclip server that can be instrumented. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Package, plugAndPlay } from '../../attach/identity.js';
import { FIRST_VERSION, isTooOld, PLACEHOLDER_VERSION } from '../../attach/support.js';
import { PACKAGES_VARIABLE, serverPackages } from '../../config.js';
import { PACKAGE_NAME } from '../../version.js';
import { installCommand, ownCommand } from '../installation/command-lines.js';
import { quote } from '../otel/environment.js';
import { type Check, type Finding, ok, problem, type Subject } from './check.js';
import { findAbove, forkIn, locateFork, locateServer, type Server } from './locate.js';

export const paperclip: Check = {
  id: 'paperclip',
  title: 'Paperclip',
  run(subject) {
    const { server } = subject;
    if (server === undefined) return [missing(subject)];
    const { name, version, folder } = server.package;
    const what = `${name} ${version ?? 'of unknown version'} in ${folder}`;
    if (isTooOld(version))
      return [problem(`${what} is not supported: ${FIRST_VERSION} and later are`, updateOf(server))];
    const fork = server.runtime === undefined ? forkIn(folder) : undefined;
    if (fork !== undefined)
      return [
        problem(
          `${what} has no environment runtime, and ${fork.name} in ${fork.folder} has one`,
          `set ${PACKAGES_VARIABLE}=${fork.name}`,
        ),
      ];
    if (server.runtime === undefined)
      return [problem(`${what} has no environment runtime`, updateOf(server))];
    return [ok(`${what} (${channelOf(version)}; layout: ${server.layout}), found ${server.foundBy}`)];
  },
};

/** Whether the preload can attach to the server. Where it cannot, this check says why. */
export function isUsable(server: Server | undefined): server is Server & { readonly runtime: string } {
  return server?.runtime !== undefined && !isTooOld(server.package.version);
}

function missing({ env, folder, target }: Subject): Finding {
  const servers = serverPackages(env);
  const names = servers.join(', ');
  const fork = locateFork(target ?? folder);
  if (fork !== undefined) {
    return problem(
      `${fork.folder} is ${fork.name}, which is none of ${names}`,
      `set ${PACKAGES_VARIABLE}=${fork.name}`,
    );
  }
  const pnp = projectOfPnp(target ?? folder);
  if (pnp !== undefined) {
    return problem(
      `${pnp} uses Plug'n'Play, and only what Yarn starts there can read its packages`,
      `cd ${quote(pnp)} && yarn add ${PACKAGE_NAME} && yarn ${PACKAGE_NAME} doctor`,
    );
  }
  const named = ownCommand("doctor <Paperclip's folder>", folder);
  if (target === undefined) {
    return problem(
      `no ${names} found in ${folder} or above it, on the PATH, among the global packages or in npx's cache`,
      `as the user that runs Paperclip, name its folder: ${named}`,
    );
  }
  const place = folderOf(target);
  const found =
    place === undefined ? `${target} does not exist, or may not be read` : `no ${names} in ${target}`;
  const elsewhere = locateServer(env, folder, undefined);
  if (elsewhere !== undefined)
    return problem(found, ownCommand(`doctor ${quote(elsewhere.package.folder)}`, folder));
  if (place === undefined) return problem(found, named);
  // Only Paperclip's own name is known to be in the registry.
  if (env[PACKAGES_VARIABLE]?.trim())
    return problem(
      found,
      `set ${PACKAGES_VARIABLE} to the name in the package.json of your server, or unset it`,
    );
  return problem(found, `npm install --prefix ${quote(place)} ${servers[0]}`);
}

/** The project of Yarn's Plug'n'Play that a path is in, in a process that does not run in it. */
function projectOfPnp(path: string): string | undefined {
  return plugAndPlay(path) === undefined ? folderAbove(path, '.pnp.cjs') : undefined;
}

/** The folder at a path, or the folder of the file there; nothing where the path cannot be read. */
function folderOf(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? path : dirname(path);
  } catch {
    return undefined;
  }
}

/** How to update Paperclip where it is. */
export function updateOf(server: Server): string {
  const { folder, name } = installedAs(server);
  if (isInstalled(server)) return installCommand(folder, `${name}@latest`);
  const repository = folderAbove(folder, '.git');
  return repository === undefined
    ? 'put a newer release of Paperclip there, such as a newer image'
    : `git -C ${quote(repository)} pull`;
}

/** How to install the same version of Paperclip again. */
export function reinstallOf(server: Server): string {
  const { folder, name, version } = installedAs(server);
  if (isInstalled(server)) return installCommand(folder, `${name}@${version}`);
  return folderAbove(folder, 'pnpm-lock.yaml') === undefined
    ? 'put the same release of Paperclip there again, such as its image'
    : `pnpm --dir ${quote(folder)} install`;
}

/** The nearest folder, from this one upwards, that holds a file or folder of this name. */
function folderAbove(path: string, name: string): string | undefined {
  return findAbove(path, (folder) => (existsSync(join(folder, name)) ? folder : undefined));
}

/** Whether a package manager has installed it into `node_modules`. */
function isInstalled({ layout }: Server): boolean {
  return layout !== 'workspace' && layout !== 'sources';
}

/** The package to install: the launcher, where it brings the server. */
export function installedAs({ package: own, launcher }: Server): Package {
  return launcher ?? own;
}

/** Paperclip's channels are marked as prereleases, such as `2026.825.0-canary.5`. */
function channelOf(version: string | undefined): string {
  if (version === undefined || version === PLACEHOLDER_VERSION) return 'a checkout, which says no version';
  return /^\d+\.\d+\.\d+-([a-z]+)/i.exec(version)?.[1] ?? 'stable';
}
