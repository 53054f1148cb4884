// @ts-check
/** Makes this workspace ready: what its lock file pins, and the package of the root as it is built. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const modules = join(here, 'node_modules');

/** The Node.js of this workspace, whichever one runs the benchmark. */
export const NODE = join(modules, 'node/bin/node');

/** Installs and builds what is to be measured. */
export function prepare() {
  install();
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
  const installed = join(modules, 'opentelemetry-instrumentation-paperclip');
  rmSync(installed, { recursive: true, force: true });
  cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
}

/** Installs what the lock file pins, unless that is what is installed. */
function install() {
  const lock = readFileSync(join(here, 'package-lock.json'), 'utf8');
  const stamp = join(modules, '.installed-lock.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
  writeFileSync(stamp, lock);
}
