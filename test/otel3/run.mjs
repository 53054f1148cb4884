/**
 * Runs the root's test suite on OpenTelemetry JS 3.x: copies sources and tests into this workspace, so that
 * `@opentelemetry/*` resolves to the versions pinned here, and runs vitest with the Node.js of the workspace.
 * The tests of this folder drive the built package with the SDK of the other build of the API.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const NAME = 'opentelemetry-instrumentation-paperclip';

install();
execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
copy();
const node = join(here, 'node_modules/node/bin/node');
const vitest = join(here, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(node, [vitest, 'run', '--config', 'vitest.config.ts'], {
  cwd: here,
  stdio: 'inherit',
});
process.exit(status ?? 1);

/** Installs what the lock file pins, unless that is what is installed. */
function install() {
  const lock = readFileSync(join(here, 'package-lock.json'), 'utf8');
  const stamp = join(here, 'node_modules/.installed-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
  writeFileSync(stamp, lock);
}

function copy() {
  const work = join(here, '.work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  // Some tests compare with pages of the documentation and what is shown there.
  for (const folder of ['src', 'docs', 'bench/cost'])
    cpSync(join(root, folder), join(work, folder), { recursive: true });
  const needTheRepository = [
    'paperclip',
    'otel3',
    'matrix',
    'cli',
    'consumer.test.ts',
    'demo.test.ts',
    'doctor',
    'documents.test.ts',
    'links.test.ts',
    'readme.test.ts',
    'observability',
    'package.test.ts',
    'registry',
  ];
  for (const entry of readdirSync(join(root, 'test'))) {
    if (needTheRepository.includes(entry)) continue;
    cpSync(join(root, 'test', entry), join(work, 'test', entry), { recursive: true });
  }
  // Of the command line's tests, those that read what OpenTelemetry's exporters write.
  for (const file of ['batches.test.ts', 'protobuf.test.ts', 'requests.ts'])
    cpSync(join(root, 'test/cli/tail', file), join(work, 'test/cli/tail', file));
  const installed = join(here, 'node_modules', NAME);
  rmSync(installed, { recursive: true, force: true });
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
}
