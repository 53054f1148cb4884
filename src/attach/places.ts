/** The paths of the files that are patched, inside Paperclip's packages. */
import type { PackageFile } from './identity.js';

/** The runtime service and its drivers, in the server's package. */
export const RUNTIME = 'services/environment-runtime';
/** The bridge's reports about duplex channels, in `@paperclipai/adapter-utils`. */
const DUPLEX_OBSERVABILITY = 'duplex-observability';
/** Paperclip's own context of startup steps, in `@paperclipai/adapter-utils`. */
const STARTUP_TIMING = 'acpx-engine/startup-timing';
/** What starts processes on the server's machine, in `@paperclipai/adapter-utils`. Of use with `propagateContext` only. */
const PROCESSES = 'server-utils';

const PLACE = new RegExp(
  `/(?:${[RUNTIME, DUPLEX_OBSERVABILITY, STARTUP_TIMING, PROCESSES].join('|')})\\.[cm]?[jt]s(?:[?#]|$)`,
);

/**
 * Whether a module may be one that is patched. This is asked for every module that a process loads, so it looks at the URL
 * only. The package is looked up for candidates only, because that reads the file system.
 *
 * @param url the module's resolved URL, which may have a query
 */
export function isCandidate(url: string): boolean {
  return PLACE.test(url);
}

const ADAPTER_UTILS = '@paperclipai/adapter-utils';

/**
 * The role of a file.
 *
 * @param servers names of the packages that are treated as Paperclip's server
 * @returns `stranger` for a runtime in a package that is not a server; nothing for other files
 */
export function roleOf(
  { place, package: { name } }: PackageFile,
  servers: readonly string[],
): Role | undefined {
  if (place === RUNTIME) return servers.includes(name) ? 'runtime' : 'stranger';
  if (!isAdapterUtils(name, servers)) return undefined;
  if (place === DUPLEX_OBSERVABILITY) return 'duplex observability';
  if (place === PROCESSES) return 'processes';
  return place === STARTUP_TIMING ? 'startup timing' : undefined;
}
export type Role = 'runtime' | 'stranger' | 'duplex observability' | 'startup timing' | 'processes';

/** A fork that renames the scope of the server renames that of this package too, or lists it beside the server. */
function isAdapterUtils(name: string, servers: readonly string[]): boolean {
  const scopeOf = (server: string) => server.split('/')[0];
  return (
    name === ADAPTER_UTILS ||
    servers.includes(name) ||
    servers.some((server) => server.includes('/') && name === `${scopeOf(server)}/adapter-utils`)
  );
}
