import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Preload } from '../../../src/cli/doctor/check.js';
import { packages as check } from '../../../src/cli/doctor/packages.js';
import { tree } from '../../support/tree.js';

/** The folder in which this package is installed. */
let here = '';
vi.mock('../../../src/cli/installation/installed.js', async (original) => ({
  ...(await original<object>()),
  get HERE() {
    return here;
  },
}));

const NAME = 'opentelemetry-instrumentation-paperclip';
const API = '@opentelemetry/api';
const INSTRUMENTATION = '@opentelemetry/instrumentation';
const SDK = '@opentelemetry/sdk-node';
const SECOND = '>=1.3.0 <1.10.0';
const THIRD = '>=1.10.0 <1.11.0';

/** A project with this package and others, each with the range of the API that it asks for. */
function project(packages: Record<string, readonly [version: string, api?: string]>): string {
  const files: Record<string, string | object> = {
    'package.json': { name: 'project' },
    [`node_modules/${NAME}/package.json`]: {
      name: NAME,
      peerDependencies: {
        [API]: '^1.9.0',
        [INSTRUMENTATION]: '>=0.200.0 <0.400.0',
        [SDK]: '>=0.200.0 <0.400.0',
      },
    },
  };
  const interceptor: Record<string, readonly [string]> = { 'import-in-the-middle': ['3.6.0'] };
  for (const [name, [version, api]] of Object.entries({ ...interceptor, ...packages })) {
    const peerDependencies = api === undefined ? {} : { [API]: api };
    files[`node_modules/${name}/package.json`] = { name, version, main: 'index.js', peerDependencies };
    files[`node_modules/${name}/index.js`] = '';
  }
  return tree(files);
}

function look(root: string, preload: Preload = 'start') {
  here = join(root, 'node_modules', NAME);
  return check.run({ env: {}, preload, folder: '/', server: undefined });
}

describe('releases that fit each other are right', () => {
  it.each([
    ['2.x', { [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.221.0', '^1.3.0'], [SDK]: ['0.221.0', SECOND] }],
    ['3.x', { [API]: ['1.10.0'], [INSTRUMENTATION]: ['0.301.0', THIRD], [SDK]: ['0.301.1', THIRD] }],
  ] as const)('%s', (_, packages) => {
    const [api, instrumentation, sdk] = Object.entries(packages).map(
      ([name, [version]]) => `${name} ${version}`,
    );
    const hooks = 'with import-in-the-middle 3.6.0';
    expect(look(project(packages))).toEqual([
      { mark: 'ok', found: `${api}, ${instrumentation} ${hooks}, ${sdk}` },
    ]);
  });

  it('no SDK is asked for with ./register', () => {
    const root = project({ [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.221.0'] });
    expect(look(root, 'register')).toEqual([
      { mark: 'ok', found: `${API} 1.9.1, ${INSTRUMENTATION} 0.221.0 with import-in-the-middle 3.6.0` },
    ]);
  });
});

it('the hooks themselves may be missing', () => {
  const root = project({ [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.221.0'], [SDK]: ['0.221.0'] });
  rmSync(join(root, 'node_modules/import-in-the-middle'), { recursive: true });
  expect(look(root)).toEqual([
    {
      mark: 'problem',
      found: `import-in-the-middle is not installed where ${NAME} is`,
      remedy: `npm install --prefix ${root} import-in-the-middle`,
    },
  ]);
});

it('of what is there without its files, the folder goes first: npm takes it for installed', () => {
  const root = project({ [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.221.0'], [SDK]: ['0.221.0'] });
  const folder = join(root, 'node_modules/import-in-the-middle');
  rmSync(join(folder, 'index.js'));
  expect(look(root)).toMatchObject([
    { remedy: `remove ${folder}, and then: npm install --prefix ${root} import-in-the-middle` },
  ]);
});

describe('the remedy installs what fits what is there', () => {
  it.each([
    ['an SDK to the instrumentation', { [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.221.0'] }, `${SDK}@0.221`],
    ['an SDK of 3.x', { [API]: ['1.10.0'], [INSTRUMENTATION]: ['0.301.1'] }, `${SDK}@0.301`],
    [
      'the instrumentation to the SDK',
      { [API]: ['1.9.1'], [SDK]: ['0.223.0', SECOND] },
      `${INSTRUMENTATION}@0.223`,
    ],
    ['the API to the SDK', { [INSTRUMENTATION]: ['0.221.0'], [SDK]: ['0.221.0'] }, `${API}@1.9`],
    ['the API to the SDK of 3.x', { [INSTRUMENTATION]: ['0.301.0'], [SDK]: ['0.301.0'] }, `${API}@1.10`],
    ['both to an API of 2.x', { [API]: ['1.9.1'] }, `'${INSTRUMENTATION}@<0.300.0' '${SDK}@<0.300.0'`],
    ['both to an API of 3.x', { [API]: ['1.10.0'] }, `'${INSTRUMENTATION}@<0.400.0' '${SDK}@<0.400.0'`],
    ['all', {}, `${API}@1.10 '${INSTRUMENTATION}@<0.400.0' '${SDK}@<0.400.0'`],
  ] as const)('%s', (_, packages, what) => {
    const root = project(packages);
    expect(look(root)).toMatchObject([{ mark: 'problem', remedy: `npm install --prefix ${root} ${what}` }]);
  });
});

describe('beside Paperclip it is the SDK that Paperclip asks for, because npm takes no other one', () => {
  const server = '@paperclipai/server';
  function beside(packages: Parameters<typeof project>[0], at = `node_modules/${server}`) {
    const root = project(packages);
    mkdirSync(join(root, at), { recursive: true });
    const manifest = { name: server, version: '2026.916.1', peerDependencies: { [SDK]: '0.221.0' } };
    writeFileSync(join(root, at, 'package.json'), JSON.stringify(manifest));
    here = join(root, 'node_modules', NAME);
    const found = { name: server, version: '2026.916.1', folder: join(root, at) };
    return {
      root,
      findings: check.run({
        env: {},
        preload: 'start',
        folder: '/',
        server: { package: found, layout: 'npm', runtime: undefined, foundBy: '' },
      }),
    };
  }

  it.each([
    ['a later release', { [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.223.0'] }, `${SDK}@0.221.0`],
    [
      'another line',
      { [API]: ['1.10.0'], [INSTRUMENTATION]: ['0.301.0', THIRD] },
      `${API}@1.9 ${INSTRUMENTATION}@0.221 ${SDK}@0.221.0`,
    ],
  ] as const)('%s', (_, packages, what) => {
    const { root, findings } = beside(packages);
    expect(findings).toMatchObject([{ mark: 'problem', remedy: `npm install --prefix ${root} ${what}` }]);
  });

  it('one elsewhere asks for nothing here', () => {
    const packages = { [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.223.0'] } as const;
    const { root, findings } = beside(packages, `elsewhere/node_modules/${server}`);
    expect(findings).toMatchObject([{ remedy: `npm install --prefix ${root} ${SDK}@0.223` }]);
  });
});

it.each([
  [
    'an SDK of 2.x with an API of 3.x',
    { [API]: ['1.10.0'], [INSTRUMENTATION]: ['0.221.0', '^1.3.0'], [SDK]: ['0.221.0', SECOND] },
    `${SDK} 0.221.0 needs ${API} ${SECOND}, and loads 1.10.0`,
    `${API}@1.9 ${INSTRUMENTATION}@0.221 ${SDK}@0.221`,
  ],
  [
    'an instrumentation of 3.x with an SDK of 2.x',
    { [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.301.0', THIRD], [SDK]: ['0.221.0', SECOND] },
    `${INSTRUMENTATION} 0.301.0 needs ${API} ${THIRD}, and loads 1.9.1`,
    `${API}@1.9 ${INSTRUMENTATION}@0.221 ${SDK}@0.221`,
  ],
  [
    'an API that is too old for this package',
    { [API]: ['1.8.0'], [INSTRUMENTATION]: ['0.221.0', '^1.3.0'], [SDK]: ['0.221.0', SECOND] },
    `${API} 1.8.0 is not supported: ^1.9.0 is`,
    `${API}@1.9 ${INSTRUMENTATION}@0.221 ${SDK}@0.221`,
  ],
  [
    'releases from before those that are supported',
    { [API]: ['1.9.1'], [INSTRUMENTATION]: ['0.57.2'], [SDK]: ['0.57.2', SECOND] },
    `${INSTRUMENTATION} 0.57.2 is not supported: >=0.200.0 <0.400.0 is\n${SDK} 0.57.2 is not supported: >=0.200.0 <0.400.0 is`,
    `${API}@1.10 '${INSTRUMENTATION}@<0.400.0' '${SDK}@<0.400.0'`,
  ],
] as const)('%s', (_, packages, found, what) => {
  const root = project(packages);
  expect(look(root)).toEqual([{ mark: 'problem', found, remedy: `npm install --prefix ${root} ${what}` }]);
});
