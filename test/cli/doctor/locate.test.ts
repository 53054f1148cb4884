import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { locateFork, locateServer } from '../../../src/cli/doctor/locate.js';
import { manifest, tree } from '../../support/tree.js';

const SERVER = '@paperclipai/server';
const RUNTIME = 'services/environment-runtime';

/** Files of a server with a runtime, in a folder. */
function server(folder: string, name = SERVER): Record<string, string | object> {
  return {
    [`${folder}/package.json`]: manifest(name),
    [`${folder}/dist/index.js`]: '',
    [`${folder}/dist/${RUNTIME}.js`]: '',
  };
}

const NOWHERE = tree({});
/** No command, global package or cache of the machine's is found. */
const NOTHING = { PATH: '', HOME: NOWHERE, npm_config_cache: join(NOWHERE, 'cache') };

function link(root: string, path: string, to: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(join(root, to), join(root, path));
}

function launcherIn(root: string, modules = 'node_modules') {
  return { name: 'paperclipai', version: '2026.916.1', folder: join(root, modules, 'paperclipai') };
}

function folderFound(folder: string, target?: string, env = {}): string | undefined {
  return locateServer({ ...NOTHING, ...env }, folder, target)?.package.folder;
}

describe('from the folder', () => {
  const modules = `node_modules/${SERVER}`;
  it.each([
    ['a project that has it', server(modules), '', modules],
    ['a folder in that project', { ...server(modules), 'a/b/file': '' }, 'a/b', modules],
    ['its own folder', server('server'), 'server', 'server'],
    ['a folder in it', server('server'), 'server/dist/services', 'server'],
    [
      'the root of a workspace',
      { ...server('app/server'), 'app/package.json': manifest('paperclip') },
      'app',
      'app/server',
    ],
    [
      'a project whose launcher has it',
      {
        'node_modules/paperclipai/package.json': manifest('paperclipai'),
        ...server(`node_modules/paperclipai/${modules}`),
      },
      '',
      `node_modules/paperclipai/${modules}`,
    ],
  ])('%s', (_, files, from, found) => {
    const root = tree(files);
    expect(locateServer(NOTHING, join(root, from), undefined)).toEqual({
      package: { name: SERVER, version: '2026.916.1', folder: join(root, found) },
      layout: found.includes('node_modules') ? 'npm' : 'workspace',
      runtime: pathToFileURL(join(root, found, `dist/${RUNTIME}.js`)).href,
      foundBy: 'from this folder',
      ...(found.includes('paperclipai/node_modules') && { launcher: launcherIn(root) }),
    });
  });

  it('what the launcher starts, where there is another server beside it', () => {
    const nested = `node_modules/paperclipai/${modules}`;
    const root = tree({
      'node_modules/paperclipai/package.json': manifest('paperclipai'),
      ...server(nested),
      ...server(modules),
    });
    expect(locateServer(NOTHING, root, undefined)).toMatchObject({
      package: { folder: join(root, nested) },
      launcher: launcherIn(root),
    });
  });

  it("pnpm's store, by the server's link", () => {
    const real = `node_modules/.pnpm/@paperclipai+server@2026.916.1/${modules}`;
    const root = tree(server(real));
    link(root, modules, real);
    expect(locateServer(NOTHING, root, undefined)).toMatchObject({
      package: { folder: join(root, real) },
      layout: 'pnpm',
    });
  });

  it("pnpm's store, by the launcher's link", () => {
    const store = 'node_modules/.pnpm/paperclipai@2026.916.1/node_modules';
    const real = `node_modules/.pnpm/@paperclipai+server@2026.916.1/${modules}`;
    const root = tree({
      [`${store}/paperclipai/package.json`]: manifest('paperclipai'),
      ...server(real),
    });
    link(root, 'node_modules/paperclipai', `${store}/paperclipai`);
    link(root, `${store}/${SERVER}`, real);
    expect(locateServer(NOTHING, root, undefined)).toMatchObject({
      package: { folder: join(root, real) },
      launcher: launcherIn(root, store),
      layout: 'pnpm',
    });
  });

  it('nothing, where a launcher has no server', () => {
    expect(folderFound(tree({ 'node_modules/paperclipai/package.json': manifest('paperclipai') }))).toBe(
      undefined,
    );
  });

  it('the nearest of two', () => {
    const root = tree({ ...server(modules), ...server(`inner/${modules}`) });
    expect(folderFound(join(root, 'inner'))).toBe(join(root, 'inner', modules));
  });

  it('a fork by the name that is configured, and not by another', () => {
    const root = tree(server('node_modules/@acme/server', '@acme/server'));
    const env = { OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES: '@acme/server' };
    expect(folderFound(root, undefined, env)).toBe(join(root, 'node_modules/@acme/server'));
    expect(folderFound(root)).toBe(undefined);
  });
});

describe('which of its files are meant', () => {
  const sources = { 'server/package.json': manifest(SERVER, '0.3.1'), [`server/src/${RUNTIME}.ts`]: '' };
  const built = { ...sources, [`server/dist/${RUNTIME}.js`]: '', 'server/src/index.ts': '' };

  it.each([
    ['the sources, where nothing is built', sources, 'server', `src/${RUNTIME}.ts`, 'sources'],
    ['the build', built, 'server', `dist/${RUNTIME}.js`, 'workspace'],
    ['the sources, where the user names one', built, 'server/src/index.ts', `src/${RUNTIME}.ts`, 'sources'],
  ])('%s', (_, files, target, runtime, layout) => {
    const root = tree(files);
    expect(locateServer(NOTHING, NOWHERE, join(root, target))).toMatchObject({
      layout,
      runtime: pathToFileURL(join(root, 'server', runtime)).href,
      foundBy: 'as named',
    });
  });

  it('none, of a version that has no runtime', () => {
    const root = tree({ 'node_modules/@paperclipai/server/package.json': manifest(SERVER, '2026.416.0') });
    expect(locateServer(NOTHING, root, undefined)).toMatchObject({ layout: 'npm', runtime: undefined });
  });
});

describe('elsewhere, where the folder has none', () => {
  const global = 'lib/node_modules/paperclipai';
  const files = {
    [`${global}/package.json`]: manifest('paperclipai'),
    [`${global}/dist/index.js`]: '',
    ...server(`${global}/node_modules/${SERVER}`),
  };
  const found = `${global}/node_modules/${SERVER}`;

  it('by a command on the PATH that is a link', () => {
    const root = tree(files);
    link(root, 'bin/paperclipai', `${global}/dist/index.js`);
    const PATH = [join(root, 'none'), join(root, 'bin')].join(delimiter);
    expect(locateServer({ ...NOTHING, PATH }, NOWHERE, undefined)).toMatchObject({
      package: { folder: join(root, found) },
      launcher: launcherIn(root, 'lib/node_modules'),
      foundBy: 'by the command paperclipai on the PATH',
    });
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path, { recursive: true })],
    ['a link that leads nowhere', (path: string) => symlinkSync('/nowhere', path)],
  ])('by a command on the PATH behind %s of that name', (_, make) => {
    const root = tree({ ...files, 'first/file': '' });
    make(join(root, 'first/paperclipai'));
    link(root, 'bin/paperclipai', `${global}/dist/index.js`);
    const PATH = [join(root, 'first'), join(root, 'bin')].join(delimiter);
    expect(folderFound(NOWHERE, undefined, { PATH })).toBe(join(root, found));
  });

  it('by a command on the PATH that is a script, as pnpm writes it', () => {
    const root = tree({
      ...files,
      'bin/paperclipai': `#!/bin/sh\nexec node  "$basedir/../${global}/dist/index.js" "$@"\n`,
    });
    expect(folderFound(NOWHERE, undefined, { PATH: join(root, 'bin') })).toBe(join(root, found));
  });

  it('among the global packages', () => {
    const root = tree(files);
    expect(locateServer({ ...NOTHING, npm_config_global_prefix: root }, NOWHERE, undefined)).toMatchObject({
      package: { folder: join(root, found) },
      foundBy: 'among the global packages',
    });
  });

  it("the latest in npx's cache", () => {
    const root = tree({
      ...server(`.npm/_npx/new/node_modules/${SERVER}`),
      ...server(`.npm/_npx/old/node_modules/${SERVER}`),
      '.npm/_npx/other/package.json': manifest('other'),
    });
    utimesSync(join(root, '.npm/_npx/old'), 1, 1);
    utimesSync(join(root, '.npm/_npx/new'), 2, 2);
    expect(locateServer({ PATH: '', HOME: root }, NOWHERE, undefined)).toMatchObject({
      package: { folder: join(root, '.npm/_npx/new/node_modules', SERVER) },
      foundBy: "in npx's cache",
    });
  });
});

describe('where the user names a place', () => {
  it.each([
    ['the folder of a launcher', 'node_modules/paperclipai'],
    ['the file of a launcher', 'node_modules/paperclipai/dist/index.js'],
  ])('%s leads to its server', (_, target) => {
    const root = tree({
      ...server(`node_modules/${SERVER}`),
      'node_modules/paperclipai/package.json': manifest('paperclipai'),
      'node_modules/paperclipai/dist/index.js': '',
    });
    expect(folderFound(NOWHERE, join(root, target))).toBe(join(root, 'node_modules', SERVER));
  });

  it('nothing else is looked at', () => {
    const root = tree(server(`node_modules/${SERVER}`));
    expect(folderFound(root, NOWHERE)).toBe(undefined);
    expect(folderFound(root, join(root, 'missing'))).toBe(undefined);
  });
});

describe('a fork that is not configured', () => {
  const fork = { name: '@acme/server', version: '2026.916.1' };
  it.each([
    ['its own folder', 'server'],
    ['a folder in it', 'server/dist'],
    ['the folder of its repository', ''],
    ['a folder in its repository', 'packages/one'],
  ])('is told in %s', (_, from) => {
    const root = tree({ ...server('server', '@acme/server'), 'packages/one/package.json': manifest('one') });
    expect(locateFork(join(root, from))).toEqual({ ...fork, folder: join(root, 'server') });
  });

  it('is nearer than a server above it', () => {
    const root = tree({
      ...server(`node_modules/${SERVER}`),
      ...server('fork/server', '@acme/server'),
      'other/file': '',
    });
    expect(folderFound(join(root, 'fork/server/dist'))).toBe(undefined);
    expect(folderFound(NOWHERE, join(root, 'fork'))).toBe(undefined);
    expect(folderFound(join(root, 'other'))).toBe(join(root, 'node_modules', SERVER));
  });

  it('is not told in a package without a runtime', () => {
    expect(locateFork(tree({ 'package.json': manifest('other') }))).toBe(undefined);
  });
});
