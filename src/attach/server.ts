/** Finds out from its files which Paperclip server a process was started for. */
import type { Cluster } from 'node:cluster';
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';
import { PACKAGE_NAME } from '../version.js';
import { dependencyOf, fileAt, type Package, packageOf, realPath } from './identity.js';

/**
 * @param servers names of the packages that are treated as Paperclip's server
 * @param main the path of the program that Node.js runs (`process.argv[1]`)
 * @returns the server's package: the program's own, or, for a launcher such as the `paperclipai` command,
 *   the one that the program would import
 */
export function serverOf(servers: readonly string[], main: string | undefined): Package | undefined {
  const path = realPath(fileOf(main));
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

/**
 * Whether a program is the server itself: `index` of its package. Another program of that package may start the server, as
 * Paperclip's `scripts/dev-watch.ts` does, or be the primary of a cluster.
 *
 * @param servers names of the packages that are treated as Paperclip's server
 * @param main the path of the program that Node.js runs (`process.argv[1]`)
 */
export function isServer(servers: readonly string[], main: string | undefined): boolean {
  const file = fileAt(fileOf(main));
  return file?.place === 'index' && servers.includes(file.package.name);
}

/** Node.js's module for clusters, which is loaded when it is asked for: most processes never ask. */
export function cluster(): Cluster {
  return process.getBuiltinModule('node:cluster') as unknown as Cluster;
}

/**
 * Whether a program is this package's own command, of any installation.
 *
 * @param main the path of the program that Node.js runs (`process.argv[1]`)
 */
export function isOwnCommand(main: string | undefined): boolean {
  const file = fileAt(main);
  return file?.package.name === PACKAGE_NAME && file.place === 'cli/main';
}

/** The file of a program that is given by its folder, or without extension, as in `node .` and `node dist/index`. */
function fileOf(main: string | undefined): string | undefined {
  try {
    return main && nodeModule.createRequire(import.meta.url).resolve(main);
  } catch {
    return undefined;
  }
}
