import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Subject } from '../../../src/cli/doctor/check.js';
import { preload, preloadOf } from '../../../src/cli/doctor/preload.js';
import { DEPENDENCIES, installed, manifest, REGISTER, START, tree } from '../../support/tree.js';

const NAME = 'opentelemetry-instrumentation-paperclip';
const ROOT = resolve('.');
const urlOf = (path: string) => pathToFileURL(path).href;

function check(NODE_OPTIONS: string, entry: Subject['preload'] = 'start') {
  return preload.run({ env: { NODE_OPTIONS }, preload: entry, folder: ROOT, server: undefined });
}

describe('the preload that is looked at', () => {
  it.each([
    ['start', `--import=${NAME}/start`],
    ['register', `--import ${NAME}/register`],
    ['start', `--no-warnings --import="${START}"`],
    ['register', `--import=${urlOf(REGISTER)}`],
    ['start', `--import=${urlOf(REGISTER)} --import=${urlOf(START)}`],
    ['register', `--require ${NAME}/register`],
    // An SDK is installed beside the package here.
    ['start', ''],
    ['start', '--import=./other.mjs --require=/nowhere.js -r x'],
  ])('is %s for %j', (entry, NODE_OPTIONS) => {
    expect(preloadOf({ NODE_OPTIONS }, ROOT)).toBe(entry);
  });

  it('is what a path in NODE_OPTIONS means in the folder of the user', () => {
    const NODE_OPTIONS = '--import=./register.js';
    expect(preloadOf({ NODE_OPTIONS }, join(ROOT, 'dist'))).toBe('register');
    expect(preloadOf({ NODE_OPTIONS }, ROOT)).toBe('start');
  });
});

describe('how it is given', () => {
  it('by --import is right', () => {
    expect(check(`--import=${NAME}/start`)).toEqual([{ mark: 'ok', found: './start, by NODE_OPTIONS' }]);
  });

  it.each([
    [`--require ${NAME}/start`, `--import=${NAME}/start`],
    [`-r ${NAME}/register`, `--import=${NAME}/register`],
    [`--title=a --require=${NAME}/start --no-warnings`, `'--title=a --import=${NAME}/start --no-warnings'`],
    ['--require=dist/require.cjs', `--import=${urlOf(REGISTER)}`],
    [`-r ${NAME}/start -r other`, `'--import=${NAME}/start -r other'`],
    [`-r ${NAME}/start -r ${NAME}/register`, `'--import=${NAME}/start --import=${NAME}/register'`],
  ])('%j cannot attach, and the remedy imports it instead', (options, value) => {
    expect(check(options)).toMatchObject([{ mark: 'problem', remedy: `set NODE_OPTIONS=${value}` }]);
  });

  it.each([
    ['register', `--import=${NAME}/start`, 'start', `--import=${NAME}/register`],
    [
      'start',
      `--no-warnings --import ${urlOf(REGISTER)}`,
      'register',
      `'--no-warnings --import=${urlOf(START)}'`,
    ],
    [
      'register',
      `--import=${urlOf(REGISTER)} --import=${NAME}/start`,
      'start',
      `'--import=${urlOf(REGISTER)} --import=${NAME}/register'`,
    ],
  ] as const)('with --preload %s, %j contradicts it, and the remedy makes them agree', (...row) => {
    const [entry, options, given, value] = row;
    expect(check(options, entry)).toEqual([
      {
        mark: 'problem',
        found: `NODE_OPTIONS has ./${given}, and --preload says ./${entry}`,
        remedy: `leave out --preload, or set NODE_OPTIONS=${value}`,
      },
    ]);
    expect(check(value.replaceAll("'", ''), entry)).toEqual([
      { mark: 'ok', found: `./${entry}, by NODE_OPTIONS` },
    ]);
  });

  it.each([
    ['start', 'run --start --'],
    ['register', 'run --'],
  ] as const)('%s not at all: the note tells how', (entry, command) => {
    expect(check('--import=./other.mjs', entry)).toEqual([
      {
        mark: 'note',
        found:
          "none in this shell's NODE_OPTIONS, which does not tell whether a server that already runs has one: " +
          `start the server with "node ${join(ROOT, 'dist/cli/main.js')} ${command} <command>", ` +
          `or with "node --import ${urlOf(join(ROOT, `dist/${entry}.js`))} <file>"`,
      },
    ]);
  });

  it('not at all, in a folder with an apostrophe: the note has none to copy into NODE_OPTIONS', async () => {
    const folder = installed("it's", DEPENDENCIES);
    const copy: typeof import('../../../src/cli/doctor/preload.js') = await import(
      pathToFileURL(join(folder, 'dist/cli/doctor/preload.js')).href
    );
    const subject = { env: {}, preload: 'start', folder, server: undefined } as const;
    const url = `${pathToFileURL(folder).href.replace("it's", 'it%27s')}/dist/start.js`;
    expect(copy.preload.run(subject)).toMatchObject([{ found: expect.stringContaining(`--import ${url} `) }]);
  });

  it("by another installation's preload is worth knowing: its own doctor looks at it", () => {
    const folder = `node_modules/${NAME}`;
    const root = tree({ [`${folder}/package.json`]: manifest(NAME), [`${folder}/dist/start.js`]: '' });
    expect(check(`--import=${urlOf(join(root, folder, 'dist/start.js'))}`)).toEqual([
      {
        mark: 'note',
        found: `NODE_OPTIONS has the preload of another installation, which is not what is looked at here: node ${join(root, folder, 'dist/cli/main.js')} doctor`,
      },
    ]);
  });
});
