/**
 * Keeps the preload from child processes. `NODE_OPTIONS` reaches all of them and `process.execArgv` those
 * that are forked: plug-in workers, and the agents themselves.
 */
import { PACKAGE_NAME } from '../version.js';
import { pathOf, realPath } from './identity.js';
import { moduleOption, unquote, wordsOf } from './node-options.js';

const ENTRIES = ['register', 'start'];

/** Takes our preloads, and nothing else, out of what this process hands down. */
export function keepFromChildren(host: { env: NodeJS.ProcessEnv; execArgv: string[] }): void {
  const { env, execArgv } = host;
  if (env.NODE_OPTIONS !== undefined) {
    const options = withoutPreloads(env.NODE_OPTIONS);
    // An empty one stays: without it, `--env-file` would bring back to a child what it had brought here.
    if (options !== env.NODE_OPTIONS) env.NODE_OPTIONS = options;
  }
  const kept = dropPreloads(execArgv, (argument) => argument);
  if (kept.length < execArgv.length) execArgv.splice(0, execArgv.length, ...kept);
}

/** The options without our preloads; the others as they are written. */
function withoutPreloads(options: string): string {
  const written = wordsOf(options);
  const kept = dropPreloads(written, unquote);
  return kept.length === written.length ? options : kept.join(' ');
}

function dropPreloads(args: readonly string[], read: (argument: string) => string): string[] {
  const kept: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const next = args[i + 1];
    const option = moduleOption(read(args[i] as string), next && read(next));
    if (option?.flag === '--import' && isPreload(option.specifier)) i += option.words - 1;
    else kept.push(args[i] as string);
  }
  return kept;
}

function isPreload(specifier: string): boolean {
  if (ENTRIES.some((entry) => specifier === `${PACKAGE_NAME}/${entry}`)) return true;
  const path = fileOf(specifier);
  return path !== undefined && ENTRIES.some((entry) => path === fileOf(urlOfEntry(entry)));
}

function urlOfEntry(entry: string): string {
  return new URL(`../${entry}.js`, import.meta.url).href;
}

function fileOf(specifier: string): string | undefined {
  return realPath(pathOf(specifier) ?? specifier);
}
