/** What cells share: our packed package, Node.js, tools, OpenTelemetry, and Paperclip from npm and from pnpm. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cache, cached } from './cache.mjs';
import { NODE, OPENTELEMETRY, PAPERCLIP, PINNED, TOOLS } from './dimensions.mjs';
import { must } from './process.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const host = fileURLToPath(new URL('host', import.meta.url));
const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The name of our package. */
export const OURS = ours.name;

const NPM = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
const LEAN = ['--omit=optional', '--ignore-scripts'];

/** Runs `npm install` in a folder. */
export async function npmInstall(cwd, ...args) {
  await must('npm', [...NPM, ...args], { cwd });
}

/** Builds and packs the root package, and returns the path of the tarball. */
export async function pack() {
  const folder = join(cache, 'package');
  mkdirSync(folder, { recursive: true });
  const packed = mkdtempSync(join(folder, 'packed-'));
  try {
    await must('npm', ['run', 'build', '--silent'], { cwd: root });
    await must('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed], { cwd: root });
    // Without the version in its name, which would have everything installed anew. Another process may be reading the
    // one that is there.
    const tarball = join(folder, 'package.tgz');
    renameSync(join(packed, readdirSync(packed)[0]), tarball);
    return tarball;
  } finally {
    rmSync(packed, { recursive: true });
  }
}

/** The executable of a line of Node.js, which the install script of its package brings. */
export const node = once(async (line) => {
  const version = NODE[line];
  const manifest = { dependencies: { node: version }, allowScripts: { [`node@${version}`]: true } };
  return join(await project(`node-${line}`, manifest, npmInstall), 'node_modules/node/bin/node');
});

/** The project that has pnpm and tsx. */
export const tools = once(() =>
  project('tools', { dependencies: TOOLS }, (cwd) => npmInstall(cwd, '--ignore-scripts')),
);

/** A project that has our package and an SDK, but no Paperclip. */
export const otelTree = once(async (line, tarball) => {
  const manifest = { dependencies: { ...OPENTELEMETRY[line], [OURS]: `file:${tarball}` } };
  const folder = await project(`otel-${line}`, manifest, (cwd) => npmInstall(cwd, ...LEAN), OUR_NEEDS);
  return await putOurs(folder, tarball);
});

/** A project in which npm installed Paperclip, the OpenTelemetry line that it pins, and our package. */
export const npmProject = once(async (version, tarball) => {
  const { dependencies, overrides } = paperclipProject(version, tarball);
  const install = async (cwd) => {
    await npmInstall(cwd, ...LEAN);
    addLacking(cwd, version);
  };
  const folder = await project(`npm-${version}`, { dependencies, overrides }, install, [
    OUR_NEEDS,
    PAPERCLIP[version],
  ]);
  return await putOurs(folder, tarball);
});

/** A project in which pnpm did. */
export const pnpmProject = once(async (version, tarball) => {
  const { dependencies, overrides } = paperclipProject(version, tarball);
  const pnpm = join(await tools(), 'node_modules/pnpm/bin/pnpm.mjs');
  const args = [
    '--no-optional',
    '--ignore-scripts',
    '--no-frozen-lockfile',
    '--store-dir',
    join(cache, 'pnpm'),
  ];
  const install = async (cwd) => {
    // JSON is YAML too.
    writeFileSync(join(cwd, 'pnpm-workspace.yaml'), JSON.stringify({ packages: ['.'], overrides }));
    await must(process.execPath, [pnpm, 'install', ...args], { cwd });
    addLacking(cwd, version);
  };
  const folder = await project(`pnpm-${version}`, { dependencies }, install, [
    OUR_NEEDS,
    PAPERCLIP[version],
    TOOLS,
  ]);
  return await putOurs(folder, tarball);
});

/** A new build of our package is put into an old install as long as it needs the same. */
const OUR_NEEDS = [ours.dependencies, ours.peerDependencies];

function paperclipProject(version, tarball) {
  const { siblings } = PAPERCLIP[version];
  return {
    dependencies: { '@paperclipai/server': version, ...OPENTELEMETRY[PINNED], [OURS]: `file:${tarball}` },
    overrides: siblings === undefined ? {} : siblingsAt(siblings),
  };
}

/** The packages of Paperclip that its servers before 2026.831 need and that were not published with them. */
function siblingsAt(version) {
  const agents = ['claude', 'codex', 'cursor', 'gemini', 'grok', 'opencode', 'pi'].map(
    (name) => `${name}-local`,
  );
  const adapters = [...agents, 'cursor-cloud', 'openclaw-gateway', 'utils'].map((name) => `adapter-${name}`);
  const names = [...adapters, 'db', 'hermes-paperclip-adapter', 'skills-catalog'];
  return Object.fromEntries(names.map((name) => [`@paperclipai/${name}`, version]));
}

/**
 * A project in the cache.
 *
 * @param manifest its package.json, but for the name
 * @param of what else its content depends on
 */
export async function project(name, manifest, install, of = []) {
  return await cached(name, [manifest, of], async (folder) => {
    const whole = { name: 'matrix', private: true, type: 'module', ...manifest };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(whole, null, 2));
    await install(folder);
  });
}

/** Gives the packages that stand in for unpublished ones the functions that they lack. Nothing here calls those. */
function addLacking(folder, version) {
  const scope = dirname(realpathSync(join(folder, 'node_modules/@paperclipai/server')));
  for (const [file, names] of Object.entries(PAPERCLIP[version].lacking ?? {})) {
    const path = realpathSync(join(scope, file));
    const added = names.map((name) => `export function ${name}() {}\n`);
    const content = `${readFileSync(path, 'utf8')}\n${added.join('')}`;
    // A new file: pnpm's are hard links into its store.
    rmSync(path);
    writeFileSync(path, content);
  }
}

/** Puts the present build of our package in place of the one that was installed, and the host beside it. */
async function putOurs(folder, tarball) {
  const place = realpathSync(join(folder, 'node_modules', OURS));
  for (const entry of readdirSync(place)) {
    // Removed, not overwritten: the files of pnpm's are hard links into its store. npm's may have dependencies of its own.
    if (entry !== 'node_modules') rmSync(join(place, entry), { recursive: true });
  }
  await must('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  for (const file of Object.values(ours.bin)) chmodSync(join(place, file), 0o755);
  putHost(folder);
  return folder;
}

/** Puts the host into a project, whose packages it then imports. */
export function putHost(folder) {
  cpSync(host, join(folder, 'host'), { recursive: true });
}

/** Calls once for each first argument. */
function once(make) {
  const made = new Map();
  return (key, ...others) => {
    if (!made.has(key)) made.set(key, make(key, ...others));
    return made.get(key);
  };
}
