/** Finds out from its files which Paperclip server a process was started for. */
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGE_NAME } from '../version.js';
import { dependencyOf, identify, type Package, packageOf, realPath } from './identity.js';

/**
 * @param servers names of the packages that are treated as Paperclip's server
 * @param main the path of the program that Node.js runs (`process.argv[1]`)
 * @returns the server's package: the program's own, or, for a launcher such as the `paperclipai` command,
 *   the one that the program would import
 */
export function serverOf(servers: readonly string[], main: string | undefined): Package | undefined {
  const path = realPath(main);
  if (path === undefined) return undefined;
  const own = packageOf(path);
  if (own !== undefined && servers.includes(own.name)) return own;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    for (const name of servers) {
      const installed = dependencyOf(folder, name);
      if (installed !== undefined) return installed;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** Packages whose commands start other programs, and get the same `NODE_OPTIONS`. */
const LAUNCHERS = new Set([
  'npm',
  'npx',
  'pnpm',
  'yarn',
  '@yarnpkg/cli-dist',
  'corepack',
  'tsx',
  'nodemon',
  'pm2',
  'concurrently',
  'cross-env',
  'dotenv-cli',
]);

/**
 * Whether the purpose of a program is to start another one. Some, such as `pm2`, run it in their own process.
 *
 * @param main the path of the program that Node.js runs (`process.argv[1]`)
 */
export function isLauncher(main: string | undefined): boolean {
  const path = realPath(main);
  const owner = path === undefined ? undefined : packageOf(path);
  return owner !== undefined && LAUNCHERS.has(owner.name);
}

/**
 * Whether a program is this package's own command, of any installation.
 *
 * @param main the path of the program that Node.js runs (`process.argv[1]`)
 */
export function isOwnCommand(main: string | undefined): boolean {
  const path = realPath(main);
  const file = path === undefined ? undefined : identify(pathToFileURL(path).href);
  return file?.package.name === PACKAGE_NAME && file.place === 'cli/main';
}
