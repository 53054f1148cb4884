/** What npm makes of our package in the projects of its users: no ERESOLVE, one copy of the API, and it attaches. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { play, prepare, registerOf } from './cells.mjs';
import { npmInstall, project, putHost } from './installs.mjs';
import { run } from './process.mjs';

const API = '@opentelemetry/api';
const SDK = '@opentelemetry/sdk-node';

/** The projects: what they have before our package is installed, and the line of OpenTelemetry that they run on. */
export const CHECKS = [
  {
    name: 'pinned',
    title: 'the OpenTelemetry set that Paperclip pins',
    otel: '0.221',
    dependencies: {
      '@opentelemetry/auto-instrumentations-node': '0.79.0',
      '@opentelemetry/exporter-trace-otlp-http': '0.221.0',
      '@opentelemetry/exporter-trace-otlp-proto': '0.221.0',
      '@opentelemetry/resources': '2.10.0',
      [SDK]: '0.221.0',
      '@opentelemetry/semantic-conventions': '1.43.0',
    },
  },
  { name: '3.x', title: 'OpenTelemetry JS 3.x', otel: '0.301', dependencies: { [SDK]: '0.301.0' } },
  { name: 'empty', title: 'nothing else', otel: '0.301', dependencies: {} },
];

/** What each is attached to, and how. */
export const CHECK_ON = { paperclip: '2026.916.1', layout: 'npm', node: '24', preload: 'first' };

/** Installs our package into such a project; throws where anything is not as it should be. */
export async function check({ name, otel, dependencies }, tarball) {
  const before = await project(`install-${name}`, { dependencies }, npmInstall);
  const cwd = mkdtempSync(join(tmpdir(), 'matrix-'));
  try {
    cpSync(before, cwd, { recursive: true, verbatimSymlinks: true });
    await npmInstall(cwd, tarball);
    await hasOneApi(cwd);
    const cell = { ...CHECK_ON, otel };
    await play(cell, preloaded(await prepare(cell, tarball), cwd, SDK in dependencies));
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** With the preload of the project, and the project's SDK where it has one. */
function preloaded(how, cwd, hasSdk) {
  if (!hasSdk) return { ...how, register: registerOf(cwd) };
  putHost(cwd);
  return { ...how, tree: cwd, cwd };
}

/** As npm sees it, and as Node.js does. */
async function hasOneApi(cwd) {
  // Ends with 1 where a peer dependency is missing or of a version that is not asked for.
  const { code, stdout, stderr } = await run('npm', ['ls', API, '--all', '--json'], { cwd });
  if (code !== 0) throw new Error(`\`npm ls\` ended with ${code}:\n${stderr}`);
  const versions = new Set(versionsIn(JSON.parse(stdout)));
  const isApi = (path) => path.endsWith(join('node_modules', API, 'package.json'));
  const copies = readdirSync(cwd, { recursive: true }).filter(isApi);
  if (versions.size !== 1 || copies.length !== 1)
    throw new Error(`copies of ${API}: ${copies.join(', ')}; versions ${[...versions].join(', ')}`);
}

function versionsIn({ dependencies = {} }) {
  return Object.entries(dependencies).flatMap(([name, dependency]) =>
    name === API ? [dependency.version] : versionsIn(dependency),
  );
}
