/** Check: whether everything supports this Node.js, with which the server is to be run. */
import { type Package, readPackageJson } from '../../attach/identity.js';
import { runsInThread } from '../../attach/loader.js';
import { compareVersions, IS_BUN } from '../../attach/support.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../version.js';
import { HERE, INSTRUMENTATION, installed, SDK } from '../installation/installed.js';
import { lowest, satisfies } from '../installation/ranges.js';
import { type Check, note, ok, problem, type Subject } from './check.js';

interface Demand {
  readonly by: string;
  readonly range: string;
}

export const node: Check = {
  id: 'node',
  title: 'Node.js',
  async run(subject) {
    const { bun, node: version } = process.versions;
    if (IS_BUN)
      return [
        problem(
          `Bun ${bun} is not supported: no preload attaches in it`,
          'start the server, and doctor, with Node.js',
        ),
      ];
    const unmet = unmetDemands(subject);
    const paperclips = subject.server && demandOf(subject.server.package);
    if (unmet.length > 0) {
      const all = paperclips === undefined ? unmet : [...unmet, paperclips];
      const [first] = all
        .map(({ range }) => lowest(range) ?? '0')
        .sort(compareVersions)
        .reverse();
      return [
        problem(
          `${version}: ${unmet.map(({ by, range }) => `${by} needs ${range}`).join(', ')}`,
          `install Node.js ${first} or later, and start the server with it`,
        ),
      ];
    }
    const found = [ok(`${version}${await placeOfHooks()}`)];
    if (paperclips !== undefined && !satisfies(version, paperclips.range))
      found.push(note(`${paperclips.by} asks for Node.js ${paperclips.range}`));
    return found;
  },
};

/** What this package and OpenTelemetry's packages beside it demand of Node.js, and this version does not meet. */
export function unmetDemands(
  { preload }: Pick<Subject, 'preload'>,
  version = process.versions.node,
): Demand[] {
  const names = [INSTRUMENTATION, ...(preload === 'start' ? [SDK] : [])];
  const packages = [
    { name: PACKAGE_NAME, version: PACKAGE_VERSION, folder: HERE },
    ...names.map((name) => installed(name, HERE)).filter((found) => found !== undefined),
  ];
  return packages
    .map(demandOf)
    .filter((demand) => demand !== undefined)
    .filter(({ range }) => !satisfies(version, range));
}

function demandOf(found: Package): Demand | undefined {
  const range = readPackageJson(found.folder).engines?.node;
  return range === undefined ? undefined : { by: `${found.name} ${found.version}`, range };
}

async function placeOfHooks(): Promise<string> {
  try {
    return (await runsInThread())
      ? ": its loader hooks run in the server's thread"
      : ": its loader hooks run in a thread of their own, and in the server's from 22.22.3, 24.11.1, 25.1 and 26 on";
  } catch {
    // A package is missing, which the check of packages finds.
    return '';
  }
}
