/**
 * Keeps the preload from child processes, such as agents and plug-in workers. All of them inherit `NODE_OPTIONS`, and forked
 * ones inherit `process.execArgv`.
 */
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PACKAGE_NAME } from '../version.js';
import { fileAt, pathOf } from './identity.js';
import { dropModules, type ModuleOption, urlForOptions, withoutModules } from './node-options.js';

const ENTRIES = ['register', 'start'];

/** Removes our preloads, and nothing else, from what child processes inherit. */
export function keepFromChildren(host: { env: NodeJS.ProcessEnv; execArgv: string[] }): void {
  const { env, execArgv } = host;
  if (env.NODE_OPTIONS !== undefined) {
    const options = withoutModules(env.NODE_OPTIONS, isOurs);
    // An empty variable stays: without it, a child's `--env-file` would set it again.
    if (options !== env.NODE_OPTIONS) env.NODE_OPTIONS = options;
  }
  const kept = dropModules(execArgv, isOurs);
  if (kept.length < execArgv.length) execArgv.splice(0, execArgv.length, ...kept);
}

function isOurs({ flag, specifier }: ModuleOption): boolean {
  if (flag !== '--import') return false;
  if (ENTRIES.some((entry) => specifier === `${PACKAGE_NAME}/${entry}`)) return true;
  // The file of any copy: of several, one alone may learn that there is a server.
  const file = fileAt(pathOf(specifier) ?? specifier);
  return file?.package.name === PACKAGE_NAME && ENTRIES.includes(file.place);
}

/**
 * The URL of a preload of this package, for `NODE_OPTIONS`. Not made by `new URL`: webpack would put the files that this may
 * name into a bundle.
 */
export function urlOfEntry(entry: string): string {
  return urlForOptions(pathToFileURL(join(fileURLToPath(import.meta.url), '../..', `${entry}.js`)));
}
