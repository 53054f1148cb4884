/** What is installed, and with which Node.js it is run: broken in one way each. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  baseOf,
  type Case,
  CONSOLE,
  copyOf,
  doctor,
  emptyFolder,
  follow,
  INSTALLATIONS,
  problemsOf,
  putPackage,
} from './support.js';

const NAME = 'opentelemetry-instrumentation-paperclip';
const SERVER = '@paperclipai/server';
const API = '@opentelemetry/api';
const { npm, npmBeforeDuplex, pnpm, docker, checkout, otel2, otel3, nodes } = INSTALLATIONS;

async function foundBy(check: string, subject: Case): Promise<string[]> {
  const { findings } = await doctor(subject);
  return findings.filter((finding) => finding.check === check).map(({ mark, found }) => `${mark}: ${found}`);
}

/** The finding is the only problem, and its remedy, followed, leaves none. */
async function expectOnly(
  wrong: { check: string; found: string; remedy: string },
  subject: Case,
): Promise<void> {
  const report = await doctor(subject);
  expect(problemsOf(report)).toEqual([{ mark: 'problem', ...wrong }]);
  expect(report.code).toBe(1);
  const repaired = await doctor(follow(problemsOf(report)[0]?.remedy, subject));
  expect(problemsOf(repaired)).toEqual([]);
  expect(repaired.code).toBe(0);
}

/** Writes a file anew: it may be a hard link. */
function replace(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, 'utf8');
  rmSync(path);
  writeFileSync(path, change(text));
}

function putManifest(folder: string, name: string, version: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, type: 'module' }));
}

describe('nothing is wrong, and the hook is seen to attach and to record', () => {
  const seeds = 'open_duplex_channel recorded as unsupported-driver-operation and missing-metadata-field';
  const released = `ok: attached to ${SERVER} 2026.916.1`;
  const inThread = "with hooks in the server's thread";
  it.each<[string, Case, string]>([
    ['npm, with ./start', { installation: npm }, `${released} (layout: npm), ${inThread}; ${seeds}`],
    [
      'npm, on Node.js 20',
      { installation: npm, node: nodes[20] },
      `${released} (layout: npm), with hooks in a thread of their own; ${seeds}`,
    ],
    [
      'npm, with the preload in NODE_OPTIONS',
      { installation: npm, env: { ...CONSOLE, NODE_OPTIONS: `--import=${NAME}/start` } },
      `${released} (layout: npm), ${inThread}; ${seeds}`,
    ],
    ['pnpm', { installation: pnpm }, `${released} (layout: pnpm), ${inThread}; ${seeds}`],
    [
      'the Docker image, outside of node_modules',
      { installation: otel3, cwd: docker },
      `${released} (layout: workspace), ${inThread}; ${seeds}`,
    ],
    [
      'a checkout, outside of node_modules',
      { installation: otel3, args: [checkout] },
      `ok: attached to ${SERVER} 0.3.1 (layout: sources), ${inThread}; ${seeds}`,
    ],
    [
      'a version without duplex channels',
      { installation: otel2, args: [npmBeforeDuplex] },
      `ok: attached to ${SERVER} 2026.720.0 (layout: npm), ${inThread}; execute recorded as unsupported-driver-operation`,
    ],
  ])('%s', async (_, subject, hook) => {
    const report = await doctor(subject);
    expect(problemsOf(report)).toEqual([]);
    expect(report.code).toBe(0);
    expect(
      report.findings.filter(({ check }) => check === 'hook').map(({ mark, found }) => `${mark}: ${found}`),
    ).toEqual([hook]);
  });
});

it('sdk: with ./register nobody starts one, and with ./start it is', async () => {
  const subject = { installation: npm, args: ['-p', 'register'] };
  const report = await doctor(subject);
  expect(problemsOf(report)).toEqual([
    {
      check: 'sdk',
      mark: 'problem',
      found: expect.stringMatching(/: nothing is recorded unless your own code starts an SDK$/),
      remedy: expect.stringMatching(/ let the preload start do it: npx .* run --start -- <command>$/),
    },
  ]);
  expect(report.code).toBe(1);
  expect(report.findings.find(({ check }) => check === 'hook')?.mark).toBe('ok');
  expect((await doctor({ installation: npm, args: ['-p', 'start'] })).code).toBe(0);
});

it('where Paperclip is, in words', async () => {
  const image = { installation: otel3, cwd: docker };
  expect(await foundBy('paperclip', image)).toEqual([
    `ok: ${SERVER} 2026.916.1 in ${docker}/server (stable; layout: workspace), found from this folder`,
  ]);
});

describe('node', () => {
  it('an old Node.js', async () => {
    const subject = { installation: npm, node: nodes[18] };
    await expectOnly(
      {
        check: 'node',
        found: `18.20.8: ${NAME} 0.1.0 needs >=20.19`,
        remedy: 'install Node.js 24.11.0 or later, and start the server with it',
      },
      subject,
    );
  });

  it('one that OpenTelemetry JS 3.x does not support any more', async () => {
    const subject = { installation: otel3, cwd: npm, node: nodes[20] };
    await expectOnly(
      {
        check: 'node',
        found:
          '20.20.2: @opentelemetry/instrumentation 0.301.0 needs >=22.15.0, @opentelemetry/sdk-node 0.301.0 needs >=22.15.0',
        remedy: 'install Node.js 24.11.0 or later, and start the server with it',
      },
      subject,
    );
  });
});

it('preload: required instead of imported', async () => {
  const subject = {
    installation: npm,
    env: { ...CONSOLE, NODE_OPTIONS: `--no-warnings --require ${NAME}/start` },
  };
  await expectOnly(
    {
      check: 'preload',
      found: `NODE_OPTIONS has --require ${NAME}/start: what is required cannot attach to ES modules`,
      remedy: `set NODE_OPTIONS='--no-warnings --import=${NAME}/start'`,
    },
    subject,
  );
});

describe('paperclip', () => {
  it('a version that is not supported', async () => {
    const installation = copyOf(npm);
    const folder = join(installation, 'node_modules', SERVER);
    replace(join(folder, 'package.json'), (text) => text.replace('"2026.916.1"', '"2026.416.0"'));
    rmSync(join(folder, 'dist/services/environment-runtime.js'));
    await expectOnly(
      {
        check: 'paperclip',
        found: `${SERVER} 2026.416.0 in ${folder} is not supported: 2026.427.0 and later are`,
        remedy: `npm install --prefix ${installation} ${SERVER}@latest`,
      },
      { installation },
    );
  });

  it('a version that is not supported, which is what the launcher starts', async () => {
    const installation = copyOf(npm);
    const launcher = join(installation, 'node_modules/paperclipai');
    const folder = join(launcher, 'node_modules', SERVER);
    putManifest(launcher, 'paperclipai', '2026.416.0');
    putManifest(folder, SERVER, '2026.416.0');
    await expectOnly(
      {
        check: 'paperclip',
        found: `${SERVER} 2026.416.0 in ${folder} is not supported: 2026.427.0 and later are`,
        remedy: `npm install --prefix ${installation} paperclipai@latest`,
      },
      { installation },
    );
  });

  it('a place that has none, where there is one elsewhere', async () => {
    const empty = emptyFolder();
    const subject = { installation: npm, args: [empty] };
    const report = await doctor(subject);
    const server = join(npm, 'node_modules', SERVER);
    expect(problemsOf(report)).toEqual([
      {
        check: 'paperclip',
        mark: 'problem',
        found: `no ${SERVER} in ${empty}`,
        remedy: `npx ${NAME} doctor ${server}`,
      },
    ]);
    expect(problemsOf(await doctor({ ...subject, args: [server] }))).toEqual([]);
  });

  it('none at all', async () => {
    const cwd = emptyFolder();
    const report = await doctor({ installation: otel2, cwd });
    const main = join(otel2, 'node_modules', NAME, 'dist/cli/main.js');
    expect(problemsOf(report)).toEqual([
      {
        check: 'paperclip',
        mark: 'problem',
        found: `no ${SERVER} found in ${cwd} or above it, on the PATH, among the global packages or in npx's cache`,
        remedy: `as the user that runs Paperclip, name its folder: node ${main} doctor <Paperclip's folder>`,
      },
    ]);
  });

  it("a fork's repository by the name of its root", async () => {
    const cwd = copyOf(docker);
    replace(join(cwd, 'server/package.json'), (text) => text.replace(`"${SERVER}"`, '"@acme/server"'));
    rmSync(join(cwd, 'package.json'), { force: true });
    putManifest(cwd, 'acme', '1.0.0');
    const name = 'OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES';
    await expectOnly(
      {
        check: 'paperclip',
        found: `acme 1.0.0 in ${cwd} has no environment runtime, and @acme/server in ${cwd}/server has one`,
        remedy: `set ${name}=@acme/server`,
      },
      { installation: otel3, cwd, env: { ...CONSOLE, [name]: 'acme' } },
    );
  });

  it('a fork by another name', async () => {
    const cwd = copyOf(docker);
    replace(join(cwd, 'server/package.json'), (text) => text.replace(`"${SERVER}"`, '"@acme/server"'));
    await expectOnly(
      {
        check: 'paperclip',
        found: `${cwd}/server is @acme/server, which is none of ${SERVER}`,
        remedy: 'set OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES=@acme/server',
      },
      { installation: otel3, cwd },
    );
  });
});

describe('packages', () => {
  it('of a package in a pnpm workspace, whose root gets none', async () => {
    const root = emptyFolder();
    const server = join(root, 'apps/server');
    mkdirSync(server, { recursive: true });
    const write = (path: string, content: object) => writeFileSync(join(root, path), JSON.stringify(content));
    write('package.json', { name: 'root', private: true });
    write('apps/server/package.json', {
      dependencies: {
        [NAME]: `file:${INSTALLATIONS.tarball}`,
        [API]: '1.9',
        '@opentelemetry/instrumentation': '0.221',
      },
    });
    // Whether its script may run is for the operator to say.
    write('pnpm-workspace.yaml', { packages: ['apps/*', 'libraries/*'], allowBuilds: { protobufjs: false } });
    execFileSync('pnpm', ['install', '--ignore-scripts'], {
      cwd: root,
      stdio: 'pipe',
      env: { ...process.env, ...baseOf(nodes[24]) },
    });
    await expectOnly(
      {
        check: 'packages',
        found: `@opentelemetry/sdk-node is not installed where ${NAME} is`,
        remedy: `pnpm --dir ${server} add @opentelemetry/sdk-node@0.221`,
      },
      { installation: server, cwd: server, args: ['-p', 'start', npm] },
    );
    expect(readFileSync(join(root, 'package.json'), 'utf8')).not.toContain('sdk-node');
  });

  it.each(['@opentelemetry/sdk-node', '@opentelemetry/instrumentation'])('%s is missing', async (name) => {
    const installation = copyOf(otel2);
    rmSync(join(installation, 'node_modules', name), { recursive: true });
    await expectOnly(
      {
        check: 'packages',
        found: `${name} is not installed where ${NAME} is`,
        remedy: `npm install --prefix ${installation} ${name}@0.221`,
      },
      { installation, cwd: npm, args: ['-p', 'start'] },
    );
  });

  it('releases that do not fit each other', async () => {
    const installation = copyOf(otel2);
    rmSync(join(installation, 'node_modules', API), { recursive: true });
    putPackage(otel3, API, installation);
    await expectOnly(
      {
        check: 'packages',
        found: '@opentelemetry/sdk-node 0.221.0 needs @opentelemetry/api >=1.3.0 <1.10.0, and loads 1.10.0',
        remedy: `npm install --prefix ${installation} ${API}@1.9 @opentelemetry/instrumentation@0.221 @opentelemetry/sdk-node@0.221`,
      },
      { installation, cwd: npm },
    );
  });
});

describe('copies', () => {
  const unseen =
    'registered through @opentelemetry/api 1.9.1, and this package uses 1.10.0, which does not read what an older version registered';

  it("another API copy than that of Paperclip's own SDK", async () => {
    const installation = emptyFolder();
    writeFileSync(join(installation, 'package.json'), '{}');
    execFileSync(
      'npm',
      [
        ...['install', '--no-audit', '--no-fund', '--loglevel=error', INSTALLATIONS.tarball],
        ...[`${API}@1.10`, '@opentelemetry/instrumentation@0.301'],
      ],
      {
        cwd: installation,
      },
    );
    // Paperclip's SDK lacks other packages here, too, and that stays a problem.
    const copies = async (subject: Case) =>
      problemsOf(await doctor(subject)).filter(({ check }) => check === 'copies');
    const subject = { installation, cwd: npm, args: ['-p', 'register'] };
    const [problem] = await copies(subject);
    expect(problem).toEqual({
      check: 'copies',
      mark: 'problem',
      found: `nothing is recorded: @opentelemetry/sdk-node 0.221.0 is ${unseen}`,
      remedy: `npm install --prefix ${installation} ${API}@1.9.1 @opentelemetry/instrumentation@0.221`,
    });
    expect(await copies(follow(problem?.remedy, subject))).toEqual([]);
  });

  it('another API copy than that of the SDK of ./start', async () => {
    const installation = copyOf(otel2);
    putPackage(otel3, API, join(installation, 'node_modules', NAME));
    await expectOnly(
      {
        check: 'copies',
        found: `nothing is recorded: @opentelemetry/sdk-node 0.221.0 is ${unseen}`,
        remedy: `npm install --prefix ${installation} ${API}@1.9.1 @opentelemetry/instrumentation@0.221`,
      },
      { installation, cwd: npm },
    );
  });
});

it('hook: an installation of Paperclip that is not complete', async () => {
  const installation = copyOf(npm);
  rmSync(join(installation, 'node_modules/drizzle-orm'), { recursive: true });
  const services = join(installation, 'node_modules', SERVER, 'dist/services');
  await expectOnly(
    {
      check: 'hook',
      found:
        `${services}/environment-runtime.js cannot be imported: ` +
        `Cannot find package 'drizzle-orm' imported from ${services}/remote-execution-termination.js`,
      remedy: `npm install --prefix ${installation} ${SERVER}@2026.916.1`,
    },
    { installation },
  );
});
