// @ts-check
/**
 * `npm run test:browser`: installs what the lock file of this folder pins, and runs its tests. With arguments it takes pictures
 * instead: with `--readme` those that the pages show; else a folder, then words that a picture's name must have.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const here = import.meta.dirname;
const lock = readFileSync(join(here, 'package-lock.json'), 'utf8');
const stamp = join(here, 'node_modules/.installed-lock.json');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: here, stdio: 'inherit' });
  writeFileSync(stamp, lock);
}

const [folder, ...words] = process.argv.slice(2);
const args =
  folder === undefined
    ? ['--test', '--test-concurrency=1', '--test-reporter=spec']
    : folder === '--readme'
      ? ['readme.mjs']
      : ['pictures.mjs', resolve(folder), ...words];
// The root's compiler; its own check has no types of React.
execFileSync('npx', ['tsc', '-p', here], { cwd: join(here, '../..'), stdio: 'inherit' });
const { status } = spawnSync(process.execPath, args, { cwd: here, stdio: 'inherit' });
process.exit(status ?? 1);
