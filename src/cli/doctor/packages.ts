/** Check: the packages that the preload loads: whether they are installed, and fit each other. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Package, readPackageJson } from '../../attach/identity.js';
import { compareVersions, isLine3 } from '../../attach/support.js';
import { PACKAGE_NAME } from '../../version.js';
import { installCommand, isInOwnProject, repairing } from '../installation/command-lines.js';
import { API, HERE, INSTRUMENTATION, INTERCEPTOR, installed, SDK } from '../installation/installed.js';
import { satisfies } from '../installation/ranges.js';
import { type Check, ok, type Preload, problem } from './check.js';
import type { Server } from './locate.js';

export const packages: Check = {
  id: 'packages',
  title: 'Packages',
  run({ preload, server }) {
    const pinned = pinnedBy(server);
    const wanted = wantedBy(preload);
    const found = wanted.map((name) => ({ name, is: installed(name, HERE) }));
    const there = found.map(({ is }) => is).filter((is) => is !== undefined);
    const install = (names: readonly string[], line: Line) =>
      installCommand(HERE, ...names.map((name) => specifierOf(name, line)));
    const absent = [
      ...found.filter(({ is }) => is === undefined).map(({ name }) => name),
      ...(there.some(lacksInterceptor) ? [INTERCEPTOR] : []),
    ];
    if (absent.length > 0) {
      const line = lineOf(there, pinned);
      // What is there may be of another line than what Paperclip asks for.
      const isOther = absent.includes(SDK) && line.isLine3 !== lineOf(there).isLine3;
      const beside = dirname(HERE);
      const verb = absent.length === 1 ? 'is' : 'are';
      return [
        problem(
          `${absent.join(', ')} ${verb} not installed where ${PACKAGE_NAME} is`,
          repairing(
            absent.map((name) => join(beside, name)).filter((folder) => existsSync(folder)),
            install(isOther ? wanted : absent, line),
          ),
        ),
      ];
    }
    const misfits = [...outOfRange(there), ...there.flatMap(unmetPeer)];
    if (misfits.length > 0) {
      const line = lineOf(
        there.filter(({ name }) => name !== API),
        wanted.includes(SDK) ? pinned : undefined,
      );
      return [problem(misfits.join('\n'), install(wanted, line))];
    }
    return [ok(there.map(describe).join(', '))];
  },
};

/** Whether the packages are installed that a preload needs to attach. */
export function canAttach(): boolean {
  return wantedBy('register').every((name) => {
    const found = installed(name, HERE);
    return found !== undefined && !lacksInterceptor(found);
  });
}

/** The command line that installs the SDK of `./start`, of a release that fits what is there. */
export function installSdk(server: Server | undefined): string {
  const there = wantedBy('register').map((name) => installed(name, HERE));
  const known = there.filter((found) => found !== undefined);
  const line = lineOf(known, pinnedBy(server));
  const names = line.isLine3 === lineOf(known).isLine3 ? [SDK] : wantedBy('start');
  return installCommand(HERE, ...names.map((name) => specifierOf(name, line)));
}

/** The version of the SDK that a Paperclip in the same project asks for: npm refuses any other one there. */
function pinnedBy(server: Server | undefined): string | undefined {
  if (server === undefined || !isInOwnProject(server.package.folder)) return undefined;
  const version = readPackageJson(server.package.folder).peerDependencies?.[SDK];
  return version !== undefined && /^\d+\.\d+\.\d+$/.test(version) ? version : undefined;
}

function wantedBy(preload: Preload): string[] {
  return [API, INSTRUMENTATION, ...(preload === 'start' ? [SDK] : [])];
}

function describe({ name, version, folder }: Package): string {
  const interceptor = name === INSTRUMENTATION ? installed(INTERCEPTOR, folder) : undefined;
  return `${name} ${version}${interceptor === undefined ? '' : ` with ${INTERCEPTOR} ${interceptor.version}`}`;
}

/** Whether it is the instrumentation, without the package with the loader hooks. */
function lacksInterceptor({ name, folder }: Package): boolean {
  return name === INSTRUMENTATION && installed(INTERCEPTOR, folder) === undefined;
}

/** Packages whose versions this package does not support, in words. */
function outOfRange(there: readonly Package[]): string[] {
  const ranges = readPackageJson(HERE).peerDependencies ?? {};
  return there
    .filter(({ name, version = '0' }) => !satisfies(version, ranges[name] ?? ''))
    .map(({ name, version }) => `${name} ${version} is not supported: ${ranges[name]} is`);
}

/** A package that needs another version of the API than it loads, in words. */
function unmetPeer({ name, version, folder }: Package): string[] {
  const range = readPackageJson(folder).peerDependencies?.[API];
  const api = installed(API, folder);
  if (range === undefined || api?.version === undefined || satisfies(api.version, range)) return [];
  return [`${name} ${version} needs ${API} ${range}, and loads ${api.version}`];
}

interface Line {
  /** The very version of the SDK, where Paperclip names it. */
  readonly sdk?: string;
  readonly release: string | undefined;
  readonly isLine3: boolean;
}

/**
 * The release to install from. Packages of OpenTelemetry JS are released together: 0.2xx with the API up to 1.9, 0.30x
 * with 1.10.
 *
 * @param pinned the version of the SDK that Paperclip asks for
 * @returns the release of that, else of the installed SDK, else of the instrumentation; else the API tells only the line
 */
function lineOf(there: readonly Package[], pinned?: string): Line {
  if (pinned !== undefined)
    return { sdk: pinned, release: releaseOf(pinned), isLine3: isLine3({ version: pinned }) };
  const versionOf = (wanted: string) => there.find(({ name }) => name === wanted)?.version;
  const version = [SDK, INSTRUMENTATION]
    .map(versionOf)
    .find((found) => found !== undefined && satisfies(found, '>=0.200.0 <0.400.0'));
  if (version !== undefined) return { release: releaseOf(version), isLine3: isLine3({ version }) };
  const api = versionOf(API);
  return { release: undefined, isLine3: api === undefined || compareVersions(api, '1.10.0') >= 0 };
}

/** Not every package has every patch. */
const releaseOf = (version: string) => version.split('.', 2).join('.');

/** A package of that line, as npm takes it. */
function specifierOf(name: string, { sdk, release, isLine3 }: Line): string {
  if (name === SDK && sdk !== undefined) return `${SDK}@${sdk}`;
  if (name === INTERCEPTOR) return name;
  if (name === API) return `${API}@${isLine3 ? '1.10' : '1.9'}`;
  return `${name}@${release ?? (isLine3 ? '<0.400.0' : '<0.300.0')}`;
}
