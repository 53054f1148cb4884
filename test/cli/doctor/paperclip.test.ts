import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/check.js';
import { locateServer } from '../../../src/cli/doctor/locate.js';
import { paperclip } from '../../../src/cli/doctor/paperclip.js';
import { manifest, tree } from '../../support/tree.js';

const SERVER = '@paperclipai/server';
const FOLDER = `node_modules/${SERVER}`;
const RUNTIME = 'dist/services/environment-runtime.js';
const EMPTY = tree({});
const PACKAGES = 'OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES';
const ENV = { PATH: '', HOME: EMPTY, npm_config_cache: EMPTY };

function check(folder: string, target?: string, variables: Record<string, string> = {}) {
  const env = { ...ENV, ...variables };
  return paperclip.run({ env, preload: 'start', folder, target, server: locateServer(env, folder, target) });
}

describe('the channel', () => {
  it.each([
    ['2026.916.1', 'stable'],
    ['2026.916.0-beta.0', 'beta'],
    ['2026.825.0-nightly.1', 'nightly'],
    ['2026.825.0-canary.5', 'canary'],
    ['0.3.1', 'a checkout, which says no version'],
  ])('of %s is %s', (version, channel) => {
    const root = tree({
      [`${FOLDER}/package.json`]: manifest(SERVER, version),
      [`${FOLDER}/${RUNTIME}`]: '',
    });
    expect(check(root)).toEqual([
      {
        mark: 'ok',
        found: `${SERVER} ${version} in ${join(root, FOLDER)} (${channel}; layout: npm), found from this folder`,
      },
    ]);
  });
});

describe('what is not supported is updated where it is', () => {
  it.each([
    ['a project of npm', FOLDER, (root: string) => `npm install --prefix ${root} ${SERVER}@latest`],
    [
      "pnpm's store",
      `node_modules/.pnpm/x/node_modules/${SERVER}`,
      (root: string) => `pnpm --dir ${root} add ${SERVER}@latest`,
    ],
    ['what was unpacked', 'server', () => 'put a newer release of Paperclip there, such as a newer image'],
  ])('%s', (_, folder, remedy) => {
    const root = tree({
      'package.json': manifest('project'),
      [`${folder}/package.json`]: manifest(SERVER, '2026.416.0'),
    });
    expect(check(root, join(root, folder))).toEqual([
      {
        mark: 'problem',
        found: `${SERVER} 2026.416.0 in ${join(root, folder)} is not supported: 2026.427.0 and later are`,
        remedy: remedy(root),
      },
    ]);
  });

  it.each([
    ['npm', 'node_modules/paperclipai', (root: string) => `npm install --prefix ${root} paperclipai@latest`],
    [
      'pnpm',
      'node_modules/.pnpm/paperclipai@1/node_modules/paperclipai',
      (root: string) => `pnpm --dir ${root} add paperclipai@latest`,
    ],
  ])(
    'by %s as what a launcher brings: the launcher is, and not a server beside it',
    (_, launcher, remedy) => {
      const nested = `${launcher}/${FOLDER}`;
      const root = tree({
        'package.json': manifest('project'),
        [`${launcher}/package.json`]: manifest('paperclipai'),
        [`${nested}/package.json`]: manifest(SERVER, '2026.416.0'),
        [`${FOLDER}/package.json`]: manifest(SERVER),
        [`${FOLDER}/${RUNTIME}`]: '',
      });
      const link = join(root, 'node_modules/paperclipai');
      if (!existsSync(link)) symlinkSync(join(root, launcher), link);
      expect(check(root)).toEqual([
        {
          mark: 'problem',
          found: `${SERVER} 2026.416.0 in ${join(root, nested)} is not supported: 2026.427.0 and later are`,
          remedy: remedy(root),
        },
      ]);
    },
  );

  it.each(['server', 'apps/server'])('a checkout, by git, wherever its root is: %s', (folder) => {
    const root = tree({ [`origin/${folder}/package.json`]: manifest(SERVER, '2026.416.0') });
    const [origin, checkout] = [join(root, 'origin'), join(root, 'a checkout')];
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', origin, '-c', 'user.name=a', '-c', 'user.email=a', ...args], {
        stdio: 'pipe',
      });
    git('init');
    git('add', '.');
    git('commit', '-m', 'old');
    git('clone', '.', checkout);
    const [finding] = check(EMPTY, join(checkout, folder)) as Finding[];
    expect(finding).toMatchObject({ mark: 'problem', remedy: `git -C '${checkout}' pull` });

    mkdirSync(join(origin, folder, 'dist/services'), { recursive: true });
    writeFileSync(join(origin, folder, RUNTIME), '');
    writeFileSync(join(origin, folder, 'package.json'), JSON.stringify(manifest(SERVER)));
    git('add', '.');
    git('commit', '-m', 'new');
    execFileSync('sh', ['-c', finding?.mark === 'problem' ? finding.remedy : 'false'], { stdio: 'pipe' });
    expect(check(EMPTY, join(checkout, folder))).toMatchObject([{ mark: 'ok' }]);
  });

  it('also globally', () => {
    const root = tree({ [`lib/${FOLDER}/package.json`]: manifest(SERVER, '2026.416.0') });
    expect(check(root, join(root, 'lib'))).toMatchObject([
      { mark: 'problem', remedy: `npm install --global ${SERVER}@latest` },
    ]);
  });

  it('a version that should have a runtime, and has none', () => {
    const root = tree({ 'package.json': manifest('project'), [`${FOLDER}/package.json`]: manifest(SERVER) });
    expect(check(root)).toEqual([
      {
        mark: 'problem',
        found: `${SERVER} 2026.916.1 in ${join(root, FOLDER)} has no environment runtime`,
        remedy: `npm install --prefix ${root} ${SERVER}@latest`,
      },
    ]);
  });
});

it('none at all: where it was looked for is said', () => {
  expect(check(EMPTY)).toEqual([
    {
      mark: 'problem',
      found: `no ${SERVER} found in ${EMPTY} or above it, on the PATH, among the global packages or in npx's cache`,
      remedy: expect.stringMatching(
        /^as the user that runs Paperclip, name its folder: node .* doctor <Paperclip's folder>$/,
      ),
    },
  ]);
});

describe('a named place that has none, where there is none elsewhere', () => {
  const root = tree({ 'a b/file': '' });

  it.each([
    ['a folder: the remedy installs it there', 'a b'],
    ['a file: the remedy installs it in its folder', 'a b/file'],
  ])('%s', (_, path) => {
    const target = join(root, path);
    expect(check(EMPTY, target)).toEqual([
      {
        mark: 'problem',
        found: `no ${SERVER} in ${target}`,
        remedy: `npm install --prefix '${join(root, 'a b')}' ${SERVER}`,
      },
    ]);
  });

  it('nothing is installed by names that may be nowhere, or of somebody else', () => {
    const variables = { [PACKAGES]: '@acme/one,@acme/two' };
    expect(check(EMPTY, root, variables)).toEqual([
      {
        mark: 'problem',
        found: `no @acme/one, @acme/two in ${root}`,
        remedy: `set ${PACKAGES} to the name in the package.json of your server, or unset it`,
      },
    ]);
  });

  it.each(['nope', 'a b/file/nope'])('and that is not there: %s', (path) => {
    const target = join(root, path);
    expect(check(EMPTY, target)).toEqual([
      {
        mark: 'problem',
        found: `${target} does not exist, or may not be read`,
        remedy: expect.stringMatching(/ doctor <Paperclip's folder>$/),
      },
    ]);
  });
});

describe("a fork's repository, with a name for its root, too", () => {
  const root = tree({
    'package.json': manifest('acme'),
    'server/package.json': manifest('@acme/server'),
    [`server/${RUNTIME}`]: '',
  });

  it.each(['.', 'server', 'server/dist'])(
    'configured by the name of the root: the right one is said, in %s',
    (folder) => {
      const [finding] = check(join(root, folder), undefined, { [PACKAGES]: 'acme' }) as Finding[];
      expect(finding).toMatchObject({ mark: 'problem', remedy: `set ${PACKAGES}=@acme/server` });
      expect(check(join(root, folder), undefined, { [PACKAGES]: '@acme/server' })).toMatchObject([
        { mark: 'ok' },
      ]);
    },
  );

  it('configured by both names, it is found', () => {
    expect(check(root, undefined, { [PACKAGES]: 'acme,@acme/server' })).toMatchObject([{ mark: 'ok' }]);
  });
});

it('a fork that is not configured: what to set is said, although there is a Paperclip elsewhere', () => {
  const root = tree({
    'fork/server/package.json': manifest('@acme/server'),
    [`fork/server/${RUNTIME}`]: '',
    [`lib/${FOLDER}/package.json`]: manifest(SERVER),
    [`lib/${FOLDER}/${RUNTIME}`]: '',
  });
  const variables = { npm_config_global_prefix: root };
  expect(check(join(root, 'fork'), undefined, variables)).toEqual([
    {
      mark: 'problem',
      found: `${join(root, 'fork/server')} is @acme/server, which is none of ${SERVER}`,
      remedy: 'set OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES=@acme/server',
    },
  ]);
  const configured = { ...variables, OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES: '@acme/server' };
  expect(check(join(root, 'fork'), undefined, configured)).toMatchObject([{ mark: 'ok' }]);
});

describe("in a project of Yarn's Plug'n'Play", () => {
  const LAUNCHER = '.yarn/cache/paperclipai.zip/node_modules/paperclipai';
  const STORED = `.yarn/cache/server.zip/${FOLDER}`;
  const root = tree({
    'package.json': manifest('project'),
    '.pnp.cjs': '',
    [`${LAUNCHER}/package.json`]: manifest('paperclipai', '2026.416.0'),
    [`${STORED}/package.json`]: manifest(SERVER, '2026.416.0'),
  });
  const host = nodeModule as { findPnpApi?: unknown };
  afterEach(() => delete host.findPnpApi);

  /** As in a process that Yarn has started there. */
  function start(): void {
    const dependencies: Record<string, string> = {
      [`${root}/ paperclipai`]: LAUNCHER,
      [`${join(root, LAUNCHER)}/ ${SERVER}`]: STORED,
    };
    const api = {
      topLevel: {},
      getPackageInformation: () => ({ packageLocation: `${root}/` }),
      resolveToUnqualified(name: string, issuer: string) {
        const found = dependencies[`${issuer} ${name}`];
        if (found === undefined) throw new Error(`${issuer} does not depend on ${name}`);
        return `${join(root, found)}/`;
      },
    };
    host.findPnpApi = (path: string) => (path.startsWith(root) ? api : null);
  }

  it('the server is found behind its launcher, and updated by yarn', () => {
    start();
    const server = locateServer(ENV, root, undefined);
    expect(server).toMatchObject({ package: { folder: join(root, STORED) }, layout: 'pnp' });
    expect(check(root)).toEqual([
      {
        mark: 'problem',
        found: `${SERVER} 2026.416.0 in ${join(root, STORED)} is not supported: 2026.427.0 and later are`,
        remedy: `yarn --cwd ${root} add paperclipai@latest`,
      },
    ]);
  });

  it('another process says that it cannot read the packages', () => {
    const own = 'opentelemetry-instrumentation-paperclip';
    expect(check(root)).toEqual([
      {
        mark: 'problem',
        found: `${root} uses Plug'n'Play, and only what Yarn starts there can read its packages`,
        remedy: `cd ${root} && yarn add ${own} && yarn ${own} doctor`,
      },
    ]);
  });
});
