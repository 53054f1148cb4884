/** Runs a cell: the command that its layout is started with, around the host instead of the server's `index`. */
import { deepStrictEqual } from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PAPERCLIP, PINNED } from './dimensions.mjs';
import { expected } from './expected.mjs';
import { node, npmProject, OURS, otelTree, pnpmProject, tools } from './installs.mjs';
import { monorepo } from './monorepo.mjs';
import { run } from './process.mjs';

const RUNTIME = 'services/environment-runtime';

/** Makes what the cell needs, where it is not there yet, and returns how it is started. */
export async function prepare(cell, tarball) {
  const isRepository = cell.layout === 'docker' || cell.layout === 'checkout';
  const how = await (isRepository ? inRepository(cell, tarball) : inProject(cell, tarball));
  return { ...how, executable: await node(cell.node) };
}

/** Where it can, our package stands in Paperclip's own project, else with the SDK in a tree of its own. */
async function inProject({ layout, paperclip, otel }, tarball) {
  const project = await (layout === 'npm' ? npmProject : pnpmProject)(paperclip, tarball);
  const tree = otel === PINNED ? project : await otelTree(otel, tarball);
  const server = realpathSync(join(project, 'node_modules/@paperclipai/server'));
  return {
    tree,
    cwd: tree,
    register: `${OURS}/register`,
    command: (preload) => preload,
    runtime: join(server, `dist/${RUNTIME}.js`),
    observability: join(server, '../adapter-utils/dist/duplex-observability.js'),
  };
}

/** Paperclip's repository has no place for our package. */
async function inRepository(cell, tarball) {
  const project = await pnpmProject(cell.paperclip, tarball);
  const tree = await otelTree(cell.otel, tarball);
  const app = await monorepo(cell, project, join(await tools(), 'node_modules/tsx'));
  const loader = ['--import', './server/node_modules/tsx/dist/loader.mjs'];
  const inImage = (preload) =>
    cell.preload === 'second' ? [...loader, ...preload] : [...preload, ...loader];
  const inCheckout = (preload) => ['server/node_modules/tsx/dist/cli.mjs', ...preload];
  const isCheckout = cell.layout === 'checkout';
  return {
    tree,
    cwd: app,
    register: registerOf(tree),
    command: isCheckout ? inCheckout : inImage,
    runtime: join(app, 'server', isCheckout ? `src/${RUNTIME}.ts` : `dist/${RUNTIME}.js`),
    observability: join(app, 'packages/adapter-utils/src/duplex-observability.ts'),
  };
}

/** The preload `./register` of a tree, for a process that runs elsewhere. */
export function registerOf(tree) {
  return preloadOf(tree, 'register');
}

/** The preload `./start` of a tree, for a process that runs elsewhere. */
export function startOf(tree) {
  return preloadOf(tree, 'start');
}

function preloadOf(tree, entry) {
  return pathToFileURL(join(tree, 'node_modules', OURS, `dist/${entry}.js`)).href;
}

/** Runs a cell that was prepared; throws where anything is not as expected. */
export async function play(cell, { executable, tree, cwd, register, command, runtime, observability }) {
  const timing = observability.replace(/duplex-observability(?=\.\w+$)/, 'acpx-engine/startup-timing');
  const modules = PAPERCLIP[cell.paperclip].isDuplex ? [runtime, observability, timing] : [runtime];
  const urls = modules.map((path) => pathToFileURL(path).href);
  const home = mkdtempSync(join(tmpdir(), 'matrix-'));
  const preload = ['--import', register];
  const byVariable = cell.preload === 'variable';
  const env = {
    // Nothing else of the environment that this runs in: it may hold variables of OpenTelemetry or Node.js.
    PATH: process.env.PATH,
    HOME: home,
    PAPERCLIP_HOME: home,
    PAPERCLIP_LOG_LEVEL: 'silent',
    ...(byVariable ? { NODE_OPTIONS: preload.join(' ') } : {}),
  };
  try {
    const args = [...command(byVariable ? [] : preload), join(tree, 'host/cell.mjs'), ...urls];
    const { code, stdout, stderr } = await run(executable, args, { cwd, env, limit: 120 });
    if (code !== 0) throw new Error(`ended with ${code}:\n${stderr}`);
    compare(JSON.parse(stdout), expected(cell), stderr);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function compare(actual, wanted, stderr) {
  try {
    deepStrictEqual(actual, wanted);
  } catch (error) {
    throw new Error(`${error.message}\nIts standard error: ${stderr}`);
  }
}
