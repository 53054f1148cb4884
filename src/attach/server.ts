/** The Paperclip server that a process was started for, as far as its files tell. */
import { dirname, join } from 'node:path';
import { type Package, packageIn, packageOf, realPath } from './identity.js';

/**
 * @param servers names of the packages that are treated as Paperclip's server
 * @param main the path of the program that Node.js runs (`process.argv[1]`)
 * @returns the server's package: the program's own, or, for a launcher such as the `paperclipai` command,
 *   the one installed where the program would import it from
 */
export function serverOf(servers: readonly string[], main: string | undefined): Package | undefined {
  const path = main === undefined ? undefined : realPath(main);
  if (path === undefined) return undefined;
  const own = packageOf(path);
  if (own !== undefined && servers.includes(own.name)) return own;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    for (const name of servers) {
      const installed = packageIn(join(folder, 'node_modules', name));
      if (installed !== undefined) return installed;
    }
    if (folder === dirname(folder)) return undefined;
  }
}
