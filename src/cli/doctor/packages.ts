/** Check: the packages that the preload loads: whether they are installed, and fit each other. */
import { type Package, readPackageJson } from '../../attach/identity.js';
import { compareVersions, isLine3 } from '../../attach/support.js';
import { PACKAGE_NAME } from '../../version.js';
import { installCommand } from '../installation/command-lines.js';
import { API, HERE, INSTRUMENTATION, INTERCEPTOR, installed, SDK } from '../installation/installed.js';
import { satisfies } from '../installation/ranges.js';
import { type Check, ok, type Preload, problem } from './check.js';

export const packages: Check = {
  id: 'packages',
  title: 'Packages',
  run({ preload }) {
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
      const verb = absent.length === 1 ? 'is' : 'are';
      return [
        problem(
          `${absent.join(', ')} ${verb} not installed where ${PACKAGE_NAME} is`,
          install(absent, lineOf(there)),
        ),
      ];
    }
    const misfits = [...outOfRange(there), ...there.flatMap(unmetPeer)];
    if (misfits.length > 0) {
      const line = lineOf(there.filter(({ name }) => name !== API));
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

/** The command line that installs the SDK of `./start`, of the release that is there. */
export function installSdk(): string {
  const there = wantedBy('register').map((name) => installed(name, HERE));
  return installCommand(HERE, specifierOf(SDK, lineOf(there.filter((found) => found !== undefined))));
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
  readonly release: string | undefined;
  readonly isLine3: boolean;
}

/**
 * The release to install from. Packages of OpenTelemetry JS are released together: 0.2xx with the API up to 1.9, 0.30x
 * with 1.10.
 *
 * @returns the release of the installed SDK, else of the instrumentation; else the API tells only the line
 */
function lineOf(there: readonly Package[]): Line {
  const versionOf = (wanted: string) => there.find(({ name }) => name === wanted)?.version;
  const version = [SDK, INSTRUMENTATION]
    .map(versionOf)
    .find((found) => found !== undefined && satisfies(found, '>=0.200.0 <0.400.0'));
  if (version !== undefined)
    // Not every package has every patch.
    return { release: version.split('.', 2).join('.'), isLine3: isLine3({ version }) };
  const api = versionOf(API);
  return { release: undefined, isLine3: api === undefined || compareVersions(api, '1.10.0') >= 0 };
}

/** A package of that line, as npm takes it. */
function specifierOf(name: string, { release, isLine3 }: Line): string {
  if (name === INTERCEPTOR) return name;
  if (name === API) return `${API}@${isLine3 ? '1.10' : '1.9'}`;
  return `${name}@${release ?? (isLine3 ? '<0.400.0' : '<0.300.0')}`;
}
