/** The packages that the preload loads: whether they are there, and fit each other. */
import { type Package, readPackageJson } from '../../attach/identity.js';
import { compareVersions } from '../../attach/support.js';
import { PACKAGE_NAME } from '../../version.js';
import { installCommand } from '../installation/command-lines.js';
import {
  API,
  HERE,
  INSTRUMENTATION,
  INTERCEPTOR,
  installed,
  isLine3,
  SDK,
} from '../installation/installed.js';
import { satisfies } from '../installation/ranges.js';
import { type Check, type Finding, ok, type Preload, problem } from './check.js';

export const packages: Check = {
  id: 'packages',
  title: 'Packages',
  run: ({ preload }) => examine(HERE, preload),
};

/**
 * @param folder of this package
 * @returns what is found of all that a preload loads
 */
export function examine(folder: string, preload: Preload): Finding[] {
  const wanted = wantedBy(preload);
  const found = wanted.map((name) => ({ name, is: installed(name, folder) }));
  const there = found.map(({ is }) => is).filter((is) => is !== undefined);
  const absent = [
    ...found.filter(({ is }) => is === undefined).map(({ name }) => name),
    ...(there.some(lacksInterceptor) ? [INTERCEPTOR] : []),
  ];
  if (absent.length > 0) {
    const line = lineOf(there);
    return [
      problem(
        `${absent.join(', ')} ${absent.length === 1 ? 'is' : 'are'} not installed where ${PACKAGE_NAME} is`,
        installCommand(folder, ...absent.map((name) => specifierOf(name, line))),
      ),
    ];
  }
  const misfits = [...outOfRange(folder, there), ...there.flatMap(unmetPeer)];
  if (misfits.length > 0) {
    const line = lineOf(there.filter(({ name }) => name !== API));
    return [
      problem(misfits.join('\n'), installCommand(folder, ...wanted.map((name) => specifierOf(name, line)))),
    ];
  }
  return [ok(there.map(describe).join(', '))];
}

/** Whether the preload can load what attaches. */
export function canAttach(): boolean {
  return wantedBy('register').every((name) => {
    const found = installed(name, HERE);
    return found !== undefined && !lacksInterceptor(found);
  });
}

function wantedBy(preload: Preload): string[] {
  return [API, INSTRUMENTATION, ...(preload === 'start' ? [SDK] : [])];
}

function describe({ name, version, folder }: Package): string {
  const interceptor = name === INSTRUMENTATION ? installed(INTERCEPTOR, folder) : undefined;
  return `${name} ${version}${interceptor === undefined ? '' : ` with ${INTERCEPTOR} ${interceptor.version}`}`;
}

/** Whether it is the package that brings the hooks, without them. */
function lacksInterceptor({ name, folder }: Package): boolean {
  return name === INSTRUMENTATION && installed(INTERCEPTOR, folder) === undefined;
}

/** What is not in the ranges that this package asks for. */
function outOfRange(folder: string, there: readonly Package[]): string[] {
  const ranges = readPackageJson(folder).peerDependencies ?? {};
  return there
    .filter(({ name, version = '0' }) => !satisfies(version, ranges[name] ?? ''))
    .map(({ name, version }) => `${name} ${version} is not supported: ${ranges[name]} is`);
}

/** What a package of OpenTelemetry's says of the API, where the one that it loads is another. */
function unmetPeer({ name, version, folder }: Package): string[] {
  const range = readPackageJson(folder).peerDependencies?.[API];
  const api = installed(API, folder);
  if (range === undefined || api?.version === undefined || satisfies(api.version, range)) return [];
  return [`${name} ${version} needs ${API} ${range}, and loads ${api.version}`];
}

/**
 * Packages of OpenTelemetry JS are released together: 0.2xx with the API up to 1.9, 0.30x with 1.10.
 *
 * @returns the release that what is there belongs to: the SDK's, else the instrumentation's, else what the API tells
 */
function lineOf(there: readonly Package[]): Line {
  const release = [SDK, INSTRUMENTATION]
    .map((name) => there.find((is) => is.name === name)?.version)
    .find((version) => version !== undefined && satisfies(version, '>=0.200.0 <0.400.0'));
  if (release !== undefined)
    return {
      // Not every package has every patch.
      release: release.split('.', 2).join('.'),
      isThird: isLine3({ version: release }),
    };
  const api = there.find(({ name }) => name === API)?.version;
  return { release: undefined, isThird: api === undefined || compareVersions(api, '1.10.0') >= 0 };
}

interface Line {
  readonly release: string | undefined;
  /** Whether it is OpenTelemetry JS 3.x. */
  readonly isThird: boolean;
}

/** @returns what npm installs a package of that line by */
function specifierOf(name: string, { release, isThird }: Line): string {
  if (name === INTERCEPTOR) return name;
  if (name === API) return `${API}@${isThird ? '1.10' : '1.9'}`;
  return `${name}@${release ?? (isThird ? '<0.400.0' : '<0.300.0')}`;
}
