// @ts-check
/**
 * Packs the package, makes the installations that the tests break copies of, and runs the tests. They are those of the
 * matrix, and stay in its cache. Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  node,
  npmInstall,
  npmProject,
  otelTree,
  pack,
  pnpmProject,
  project,
  tools,
} from '../matrix/installs.mjs';
import { monorepo } from '../matrix/monorepo.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url));

const PAPERCLIP = '2026.916.1';
const UNSUPPORTED_NODE = '18.20.8';

const tarball = await pack();
const installations = {
  tarball,
  /** The folder with the command pnpm. */
  bin: join(await tools(), 'node_modules/.bin'),
  nodes: { 18: await unsupportedNode(), 20: await node('20'), 24: await node('24') },
  npm: await npmProject(PAPERCLIP, tarball),
  npmBeforeDuplex: await npmProject('2026.720.0', tarball),
  pnpm: await pnpmProject(PAPERCLIP, tarball),
  docker: await repository('docker', 'published'),
  checkout: await repository('checkout', '0.3.1'),
  /** Trees that have no Paperclip. */
  otel2: await otelTree('0.221', tarball),
  otel3: await otelTree('0.301', tarball),
};
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', config, ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, DOCTOR_INSTALLATIONS: JSON.stringify(installations) },
  },
);
process.exitCode = status ?? 1;

/**
 * @param {string} layout
 * @param {string} version what the server's package.json says
 */
async function repository(layout, version) {
  const tsx = join(await tools(), 'node_modules/tsx');
  return await monorepo(
    { layout, paperclip: PAPERCLIP, version },
    await pnpmProject(PAPERCLIP, tarball),
    tsx,
  );
}

/** The executable of a line of Node.js that is not supported any more. */
async function unsupportedNode() {
  const manifest = {
    dependencies: { node: UNSUPPORTED_NODE },
    allowScripts: { [`node@${UNSUPPORTED_NODE}`]: true },
  };
  return join(await project('node-18', manifest, npmInstall), 'node_modules/node/bin/node');
}
