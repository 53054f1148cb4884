import { cpSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest, tree } from '../../support/tree.js';
import { COPIES, lookIn } from './built-checks.js';

const API = '@opentelemetry/api';
const SDK = '@opentelemetry/sdk-node';
const FOLDER = 'node_modules/@paperclipai/server';

const ours = realpathSync(join('node_modules', API));
const versionOf = (name: string) =>
  JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')).version;
const OURS = versionOf(API);
const OUR_SDK = `${SDK} ${versionOf(SDK)}`;

/** A project with a server whose copy of the API says this version, and an SDK of its own if one is given. */
function project(api: string, sdk?: string): string {
  const root = tree({
    'package.json': manifest('project'),
    [`${FOLDER}/package.json`]: manifest('@paperclipai/server'),
    [`${FOLDER}/dist/services/environment-runtime.js`]: '',
    ...(sdk !== undefined && {
      [`node_modules/${SDK}/package.json`]: { name: SDK, version: sdk, main: 'index.js' },
      [`node_modules/${SDK}/index.js`]: '',
    }),
  });
  const copy = join(root, 'node_modules', API);
  cpSync(ours, copy, { recursive: true });
  for (const file of ['package.json', 'build/src/version.js']) {
    const path = join(copy, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(OURS, api));
  }
  return root;
}

const check = (folder: string, preload: 'register' | 'start') => lookIn(COPIES, folder, {}, preload);

const unseen = `registered through ${API} 1.8.0, and this package uses ${OURS}, which does not read what an older version registered`;

describe('with ./register, the SDK is the one beside Paperclip', () => {
  it('whose copy of the same version is seen', async () => {
    expect(await check(project(OURS, '0.200.0'), 'register')).toEqual([
      {
        mark: 'ok',
        found: `2 copies of ${API} that see each other: ${OURS} (this package), ${OURS} (${SDK} 0.200.0, Paperclip)`,
      },
    ]);
  });

  it('whose older copy is not seen', async () => {
    expect(await check(project('1.8.0', '0.200.0'), 'register')).toEqual([
      {
        mark: 'problem',
        found: `nothing is recorded: ${SDK} 0.200.0 is ${unseen}`,
        remedy: `npm install --prefix ${resolve('.')} ${API}@1.8.0 @opentelemetry/instrumentation@0.200`,
      },
    ]);
  });

  it('which is not there: an older copy is worth knowing', async () => {
    expect(await check(project('1.8.0'), 'register')).toEqual([
      { mark: 'note', found: `nothing would be recorded by an SDK beside Paperclip: it is ${unseen}` },
    ]);
  });
});

describe('with ./start, the SDK is the one beside this package', () => {
  it('and what Paperclip has does not matter to it', async () => {
    expect(await check(project('1.8.0', '0.200.0'), 'start')).toEqual([
      {
        mark: 'ok',
        found: `2 copies of ${API} that see each other: ${OURS} (this package, ${OUR_SDK}), 1.8.0 (Paperclip)`,
      },
    ]);
  });

  it("but Paperclip's own spans are not recorded where its copy is newer", async () => {
    expect(await check(project('1.99.0'), 'start')).toEqual([
      {
        mark: 'ok',
        found: `2 copies of ${API}: ${OURS} (this package, ${OUR_SDK}), 1.99.0 (Paperclip)`,
      },
      {
        mark: 'note',
        found: `Paperclip's own spans are not recorded: its ${API} 1.99.0 does not read what ${OURS} registered`,
      },
    ]);
  });
});
