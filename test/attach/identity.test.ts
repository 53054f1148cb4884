import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { identify } from '../../src/attach/identity.js';
import { isCandidate } from '../../src/attach/places.js';
import { isServer, serverOf } from '../../src/attach/server.js';
import { isTooOld } from '../../src/attach/support.js';
import { manifest, tree } from '../support/tree.js';

const SERVER = '@paperclipai/server';

describe('a file is known by the name of its package and its place in it', () => {
  const root = tree({
    'app/package.json': { name: 'paperclip-monorepo', private: true },
    'app/server/package.json': manifest(SERVER, '0.3.1'),
    // As compilers write it, to say which kind of modules is below.
    'app/server/dist/package.json': { type: 'module' },
    'app/server/dist/services/environment-runtime.js': '',
    'node_modules/.pnpm/x/node_modules/@paperclipai/server/package.json': manifest(SERVER),
    'node_modules/@paperclipai/server/package.json': manifest(SERVER),
    'marked/package.json': `\uFEFF${JSON.stringify(manifest(SERVER))}`,
    'broken/package.json': '{',
  });
  const identified = (path: string, query = '') => {
    const file = identify(pathToFileURL(join(root, path)).href + query);
    return file && `${file.package.name}@${file.package.version} ${file.place} ${file.layout}`;
  };

  it.each([
    ['node_modules/@paperclipai/server/dist/a/b.js', `${SERVER}@2026.916.1 a/b npm`],
    ['node_modules/.pnpm/x/node_modules/@paperclipai/server/dist/a/b.js', `${SERVER}@2026.916.1 a/b pnpm`],
    [
      'app/server/dist/services/environment-runtime.js',
      `${SERVER}@0.3.1 services/environment-runtime workspace`,
    ],
    [
      'app/server/src/services/environment-runtime.ts',
      `${SERVER}@0.3.1 services/environment-runtime sources`,
    ],
    ['app/server/services/dist/x.mjs', `${SERVER}@0.3.1 services/dist/x workspace`],
    ['app/other/x.js', 'paperclip-monorepo@undefined other/x workspace'],
    // Its package.json begins with a byte order mark.
    ['marked/dist/x.js', `${SERVER}@2026.916.1 x workspace`],
  ])('%s', (path, expected) => {
    expect(identified(path)).toBe(expected);
    expect(identified(path, '?tsx-namespace=1')).toBe(expected);
  });

  it('what is no file, and what is in no package, is nobody’s', () => {
    expect(identify('node:fs')).toBeUndefined();
    expect(identify('data:text/javascript,1')).toBeUndefined();
    expect(identified('broken/x.js')).toBeUndefined();
    expect(identify('file:///app%2Fserver/services/environment-runtime.js')).toBeUndefined();
  });
});

describe('only Paperclip’s files are intercepted', () => {
  it.each([
    ['file:///a/node_modules/@paperclipai/server/dist/services/environment-runtime.js', true],
    ['file:///app/server/src/services/environment-runtime.ts?namespace=1', true],
    ['file:///app/packages/adapter-utils/src/duplex-observability.ts', true],
    ['file:///x/dist/acpx-engine/startup-timing.mjs#x', true],
    ['file:///x/dist/services/environment-runtime-driver.js', false],
    ['file:///x/dist/services/environment-runtime.test.js', false],
    ['file:///x/dist/environment-runtime.js', false],
    ['node:fs', false],
  ])('%s: %s', (url, expected) => {
    expect(isCandidate(url)).toBe(expected);
  });
});

describe('supported versions', () => {
  it.each([
    ['2026.427.0', false],
    ['2026.427.0-canary.1', false],
    ['2026.1130.0', false],
    ['2027.101.0', false],
    ['0.3.1', false],
    ['workspace', false],
    [undefined, false],
    ['2026.426.9', true],
    ['2026.318.0', true],
    ['2025.1231.0', true],
  ])('%s is too old: %s', (version, expected) => {
    expect(isTooOld(version)).toBe(expected);
  });
});

describe('the server that a process was started for', () => {
  const root = tree({
    'package.json': { name: 'somebody', version: '1.0.0' },
    'main.js': '',
    'node_modules/@paperclipai/server/package.json': manifest(SERVER),
    'node_modules/@paperclipai/server/dist/index.js': '',
    'node_modules/paperclipai/package.json': manifest('paperclipai', '2026.1.1'),
    'node_modules/paperclipai/bin/cli.js': '',
    'app/server/package.json': manifest(SERVER, '0.3.1'),
    'app/server/dist/index.js': '',
    'app/server/dist/other.js': '',
  });
  it.each([
    ['node_modules/@paperclipai/server/dist/index.js', '2026.916.1'],
    ['node_modules/paperclipai/bin/cli.js', '2026.916.1'],
    ['main.js', '2026.916.1'],
    ['app/server/dist/index.js', '0.3.1'],
    ['app/server/dist/index', '0.3.1'],
    ['app/server/dist', '0.3.1'],
    ['missing.js', undefined],
  ])('%s: %s', (main, version) => {
    expect(serverOf([SERVER], join(root, main))?.version).toBe(version);
  });

  it('is nobody where there is no program', () => {
    expect(serverOf([SERVER], undefined)).toBeUndefined();
  });

  it.each([
    ['app/server/dist/index.js', true],
    ['app/server/dist/index', true],
    ['app/server/dist', true],
    ['app/server/dist/other.js', false],
    ['main.js', false],
    ['missing.js', false],
  ])('%s is its own program: %s', (main, expected) => {
    expect(isServer([SERVER], join(root, main))).toBe(expected);
  });
});
