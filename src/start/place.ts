/**
 * Names the place of a Paperclip server: its host, port and instance. The name is the same after a restart, and another one
 * for another server of the host. Paperclip's own rules: `config.js` and `paths.js` of the server, `home-paths.js` of
 * `@paperclipai/shared`, and the options of the command `paperclipai run`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const DEFAULT_PORT = 3100;
/** Few servers share a host, so a few digits tell them apart. They say nothing of the paths they are made of. */
const DIGITS = 4;

/** What decides where a process keeps its data, and where it listens. */
export interface Startup {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The arguments of the program. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** The number of a worker of a cluster. The workers share everything else. */
  readonly worker?: number | undefined;
}

/**
 * @returns for example `host-1:3100/9f2c`: the host, the port that is asked for, and a hash for Paperclip's instance; in a
 *   cluster with the worker, `host-1:3100/9f2c/1`
 */
export function placeOf({ env, args, cwd, worker }: Startup): string {
  const options = optionsOf(args);
  const home = options['data-dir']?.trim() || env.PAPERCLIP_HOME?.trim();
  const id = options.instance?.trim() || env.PAPERCLIP_INSTANCE_ID?.trim() || 'default';
  const root = resolve(home ? expand(home) : join(homedir(), '.paperclip'), 'instances', id);
  const named = options.config || env.PAPERCLIP_CONFIG;
  const config = named ? resolve(cwd, named) : (configAbove(cwd) ?? join(root, 'config.json'));
  const port = Number(env.PORT) || portIn(config) || DEFAULT_PORT;
  const hash = createHash('sha256').update(`${root}\n${config}`).digest('hex');
  const place = `${hostname()}:${port}/${hash.slice(0, DIGITS)}`;
  // pm2 numbers the workers itself, and starts a worker again with the same number.
  return worker === undefined ? place : `${place}/${env.NODE_APP_INSTANCE || worker}`;
}

/** The options of `paperclipai run` that decide; other programs have none of these. */
function optionsOf(args: readonly string[]): Partial<Record<'config' | 'data-dir' | 'instance', string>> {
  const { values } = parseArgs({
    args: [...args],
    strict: false,
    options: {
      config: { type: 'string', short: 'c' },
      'data-dir': { type: 'string', short: 'd' },
      instance: { type: 'string', short: 'i' },
    },
  });
  // An option without its value is `true`.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'));
}

function expand(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

function configAbove(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const config = join(folder, '.paperclip', 'config.json');
    if (existsSync(config)) return config;
    if (folder === dirname(folder)) return undefined;
  }
}

/** The port in Paperclip's configuration file, if there is one that can be read. */
function portIn(config: string): number | undefined {
  try {
    return Number(JSON.parse(readFileSync(config, 'utf8')).server.port);
  } catch {
    return undefined;
  }
}
