/** Check: which copies of OpenTelemetry's API the server's process would load, and whether they see each other. */
import { type Package, packageOf, readPackageJson, realPath } from '../../attach/identity.js';
import { registeredUnseen } from '../../attach/support.js';
import { installCommand } from '../installation/command-lines.js';
import { API, HERE, INSTRUMENTATION, installed, resolveFrom, SDK } from '../installation/installed.js';
import { satisfies } from '../installation/ranges.js';
import { type Check, type Finding, note, ok, problem, type Subject, skipped } from './check.js';
import { quietEnvironment, runProbe } from './probe.js';
import type { Copies, Seen } from './probes/copies.js';

/** Time limit for a process that loads the API, in milliseconds. */
const LIMIT = 30_000;

/** A copy of the API, on disk. */
interface Copy {
  readonly version: string;
  /** The file that `require` loads. */
  readonly path: string;
}

export const copies: Check = {
  id: 'copies',
  title: 'API copies',
  async run(subject) {
    const ours = copyFrom(HERE);
    const sdk = sdkPackageOf(subject);
    if (ours === undefined) return [skipped(`${API} is not installed`)];
    if (subject.preload === 'start' && sdk === undefined) return [skipped(`${SDK} is not installed`)];

    const paperclips = subject.server && copyFrom(subject.server.package.folder);
    const sdks = sdk && copyFrom(sdk.folder);
    const registering = sdks ?? paperclips;
    const users: User[] = [
      { by: 'this package', copy: ours },
      { by: `${sdk?.name} ${sdk?.version}`, copy: sdks },
      { by: 'Paperclip', copy: paperclips },
    ];
    if (registering === undefined) return [ok(describe(users, true))];

    const input: Copies = { sdks: registering.path, paperclips: (paperclips ?? registering).path };
    const { answer, stderr } = await runProbe<Seen>('copies', {
      input,
      env: quietEnvironment(subject.env),
      cwd: subject.folder,
      limit: LIMIT,
    });
    if (answer === undefined) throw new Error(`copies of ${API} cannot be tried: ${stderr}`);
    const found = [
      answer.byUs ? ok(describe(users, answer.byPaperclip)) : unseen(registering, ours, sdk),
      ...instrumentationsOf(subject, sdk),
    ];
    if (!answer.byPaperclip) {
      const why = `its ${API} ${paperclips?.version} does not read what ${registering.version} registered`;
      found.push(note(`Paperclip's own spans are not recorded: ${why}`));
    }
    return found;
  },
};

/** This package does not see what the SDK registers. */
function unseen(registering: Copy, ours: Copy, sdk: Package | undefined): Finding {
  const why = registeredUnseen(registering.version, ours.version);
  // Without an SDK nothing is registered yet, so this is no problem yet.
  if (sdk === undefined) return note(`nothing would be recorded by an SDK beside Paperclip: it is ${why}`);
  return problem(
    `nothing is recorded: ${sdk.name} ${sdk.version} is ${why}`,
    alike(sdk, registering.version),
  );
}

/** The SDK that the preload starts, or that Paperclip starts where an endpoint is set. */
function sdkPackageOf({ preload, server }: Subject): Package | undefined {
  const from = preload === 'start' ? HERE : server?.package.folder;
  return from === undefined ? undefined : installed(SDK, from);
}

/** The copy that a program in a folder loads. */
function copyFrom(folder: string): Copy | undefined {
  const path = resolveFrom(API, folder);
  const version = path === undefined ? undefined : packageOf(path)?.version;
  return path === undefined || version === undefined ? undefined : { path, version };
}

/** Who loads which copy. */
interface User {
  readonly by: string;
  readonly copy: Copy | undefined;
}

/**
 * Who loads which copy, in words.
 *
 * @param seeEachOther whether each copy sees what another one registers
 */
function describe(users: readonly User[], seeEachOther: boolean): string {
  const byPath = new Map<string, { version: string; users: string[] }>();
  for (const { by, copy } of users) {
    if (copy === undefined) continue;
    const path = realPath(copy.path) ?? copy.path;
    const same = byPath.get(path) ?? { version: copy.version, users: [] };
    same.users.push(by);
    byPath.set(path, same);
  }
  const all = [...byPath.values()].map(({ version, users }) => `${version} (${users.join(', ')})`);
  return all.length === 1
    ? `one copy of ${API}: ${all[0]}`
    : `${all.length} copies of ${API}${seeEachOther ? ' that see each other' : ''}: ${all.join(', ')}`;
}

/** The command line that installs an SDK's version of the API here, with the packages of the same release. */
function alike(sdk: Package, api: string): string {
  const release = sdk.version?.split('.', 2).join('.');
  const own = installed(SDK, HERE);
  const range = own && readPackageJson(own.folder).peerDependencies?.[API];
  const moved = range !== undefined && !satisfies(api, range) ? [INSTRUMENTATION, SDK] : [INSTRUMENTATION];
  return installCommand(HERE, `${API}@${api}`, ...moved.map((name) => `${name}@${release}`));
}

/** Two copies of the instrumentation do not disturb each other. */
function instrumentationsOf({ preload }: Subject, sdk: Package | undefined): Finding[] {
  const ours = installed(INSTRUMENTATION, HERE);
  const theirs = preload === 'register' && sdk ? installed(INSTRUMENTATION, sdk.folder) : undefined;
  if (ours === undefined || theirs === undefined || ours.folder === theirs.folder) return [];
  return [
    note(
      `two copies of ${INSTRUMENTATION}: ${ours.version} (this package), ${theirs.version} (${sdk?.name}); each has a loader hook of its own, and Paperclip's files are left to this package's`,
    ),
  ];
}
