/** Check: which preload a server is started with, and whether `NODE_OPTIONS` names it. */
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageOf, pathOf, realPath } from '../../attach/identity.js';
import {
  type ModuleOption,
  moduleOption,
  unquote,
  urlForOptions,
  wordsOf,
} from '../../attach/node-options.js';
import { PACKAGE_NAME } from '../../version.js';
import { ownCommand } from '../installation/command-lines.js';
import { HERE, installed, resolveFrom, SDK } from '../installation/installed.js';
import { quote } from '../otel/environment.js';
import { type Check, note, ok, type Preload, problem } from './check.js';

/** A preload of this package in `NODE_OPTIONS`. */
interface Found extends ModuleOption {
  readonly entry: Preload;
  /** The folder of its package. */
  readonly from: string | undefined;
  /** The position of its first word. */
  readonly at: number;
}

/**
 * The preload in `NODE_OPTIONS`, else `start` where an SDK is installed beside this package.
 *
 * @param folder from which Node.js resolves what `NODE_OPTIONS` names
 */
export function preloadOf(env: Readonly<NodeJS.ProcessEnv>, folder: string): Preload {
  const found = strongest(preloadsIn(env.NODE_OPTIONS ?? '', folder));
  return found ?? (installed(SDK, HERE) === undefined ? 'register' : 'start');
}

/** `start` does all that `register` does. */
function strongest(all: readonly Found[]): Preload | undefined {
  if (all.some(({ entry }) => entry === 'start')) return 'start';
  return all[0]?.entry;
}

export const preload: Check = {
  id: 'preload',
  title: 'Preload',
  run({ env, folder, preload: entry }) {
    const options = env.NODE_OPTIONS ?? '';
    const all = preloadsIn(options, folder);
    const required = all.filter(({ flag }) => flag === '--require');
    if (required.length > 0) {
      const names = required.map(({ specifier }) => `--require ${specifier}`).join(' ');
      return [
        problem(
          `NODE_OPTIONS has ${names}: what is required cannot attach to ES modules`,
          `set NODE_OPTIONS=${quote(importing(options, required))}`,
        ),
      ];
    }
    const foreign = all.find(({ from }) => from !== undefined && from !== realPath(HERE));
    if (foreign?.from !== undefined) {
      const main = join(foreign.from, 'dist', 'cli', 'main.js');
      return [
        note(
          `NODE_OPTIONS has the preload of another installation, which is not what is looked at here: node ${quote(main)} doctor`,
        ),
      ];
    }
    const given = strongest(all);
    if (given === entry) return [ok(`./${given}, by NODE_OPTIONS`)];
    if (given !== undefined) {
      const others = all.filter((each) => each.entry !== entry);
      return [
        problem(
          `NODE_OPTIONS has ./${given}, and --preload says ./${entry}`,
          `leave out --preload, or set NODE_OPTIONS=${quote(importing(options, others, entry))}`,
        ),
      ];
    }
    const flag = entry === 'start' ? ' --start' : '';
    return [
      note(
        "none in this shell's NODE_OPTIONS, which does not tell whether a server that already runs has one: " +
          `start the server with "${ownCommand(`run${flag} -- <command>`, folder)}", ` +
          `or with "node --import ${quote(fileOf(entry))} <file>"`,
      ),
    ];
  },
};

/** The URL of a preload of this installation, for `NODE_OPTIONS`. */
function fileOf(entry: Preload): string {
  return urlForOptions(pathToFileURL(join(HERE, 'dist', `${entry}.js`)));
}

/** @param folder from which Node.js resolves names */
function preloadsIn(options: string, folder: string): Found[] {
  const words = wordsOf(options).map(unquote);
  return words.flatMap((word, at) => {
    const option = moduleOption(word, words[at + 1]);
    const found = option && identifyPreload(option.specifier, folder);
    return option === undefined || found === undefined ? [] : [{ ...option, ...found, at }];
  });
}

function identifyPreload(specifier: string, folder: string): Pick<Found, 'entry' | 'from'> | undefined {
  const entries: Preload[] = ['register', 'start'];
  const named = entries.find((entry) => specifier === `${PACKAGE_NAME}/${entry}`);
  if (named !== undefined) {
    const path = resolveFrom(specifier, folder);
    return { entry: named, from: path === undefined ? undefined : packageOf(path)?.folder };
  }
  const path = realPath(
    specifier.startsWith('file:') ? (pathOf(specifier) ?? '') : resolve(folder, specifier),
  );
  const owner = path === undefined ? undefined : packageOf(path);
  if (path === undefined || owner?.name !== PACKAGE_NAME) return undefined;
  return { entry: basename(path) === 'start.js' ? 'start' : 'register', from: owner.folder };
}

/**
 * `NODE_OPTIONS` with `--import` in place of the options that load some preloads.
 *
 * @param wanted the preload to import; where it is not given, the same one
 */
function importing(options: string, preloads: readonly Found[], wanted?: Preload): string {
  const written = wordsOf(options);
  for (const { at, words, entry, specifier } of [...preloads].reverse()) {
    const isName = specifier.startsWith(`${PACKAGE_NAME}/`);
    const now = wanted ?? entry;
    written.splice(at, words, `--import=${isName ? `${PACKAGE_NAME}/${now}` : fileOf(now)}`);
  }
  return written.join(' ');
}
