/** The cache folder: what is in it was made completely, of what is asked for now. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const NAME = 'opentelemetry-instrumentation-paperclip/matrix';

export const cache = resolve(process.env.MATRIX_CACHE || join(cacheOfSystem(), NAME));

/**
 * A folder in the cache. Where it is not there, or was made of something else, `make` fills it.
 *
 * @param name its path below the cache folder
 * @param of what it is made of, as JSON: anything whose change demands that it be made again
 * @returns its path
 */
export async function cached(name, of, make) {
  const folder = join(cache, name);
  const stamp = `${folder}.made-of`;
  const digest = createHash('sha256')
    .update(JSON.stringify([of, process.platform, process.arch]))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return folder;

  rmSync(stamp, { force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const started = performance.now();
  await make(folder);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest);
  console.log(`made ${name} in ${Math.round((performance.now() - started) / 1000)} s`);
  return folder;
}

/** Where this operating system has its users' caches. */
export function cacheOfSystem() {
  if (process.platform === 'darwin') return join(homedir(), 'Library/Caches');
  if (process.platform === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData/Local');
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}
