/** What README has its readers type. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PaperclipInstrumentation } from '../src/index.js';
import { OPERATION_NAMES } from '../src/semconv.js';
import { METRICS } from './support/cardinality.js';
import { project } from './support/project.js';
import { ASSETS, blocks, CATALOG, commands, ELSEWHERE, FAST, README, REAL } from './support/readme.js';
import { RUNTIME_SOURCE } from './support/runtime.js';
import { DOCUMENTED_HOOK, runNode } from './support/tree.js';

it('each command is one that a test executes', () => {
  expect([...commands()].toSorted()).toEqual([...FAST, ...REAL, ...ELSEWHERE].toSorted());
});

it('names every operation, metric and option', () => {
  let known = '';
  try {
    new PaperclipInstrumentation({ unknown: true } as never);
  } catch (error) {
    known = /\(known: enabled, (.+)\)/.exec(String(error))?.[1] ?? '';
  }
  const names = [...OPERATION_NAMES, ...METRICS.map(({ name }) => name), ...known.split(', ')];
  expect(names).toContain('errorCatalog');
  expect(names.filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
});

describe('in a project that has the package,', () => {
  const quota = {
    schemaVersion: 2,
    slug: 'quota',
    messagePattern: '^Quota of team .* is used up\\.$',
    backgroundTag: 'quota-used-up',
  };
  let folder: string;
  beforeAll(() => {
    folder = project({ 'errors.json': quota });
  });

  const outcomes: Record<string, (stdout: string) => void> = {
    [ASSETS]: (stdout) => {
      const paths = stdout.trimEnd().split('\n').slice(0, -1);
      expect(paths).toContain('monitoring/prometheus/paperclip.rules.yml');
      expect(paths.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
    },
    [CATALOG]: (stdout) => expect(stdout).toBe('errors.json: record 0 ("quota"): quota-used-up\n'),
  };

  it.each(FAST)('%s', (command) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
      },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const expectOutcome = outcomes[command];
    if (expectOutcome === undefined) throw new Error('nothing is expected of it');
    expectOutcome(stdout);
  });
});

/** What stands around each block of code in the program of its reader, who then tries it. */
const AROUND = {
  'setup.ts': {
    before: '',
    after: `
      const { environmentRuntimeService } = await import(process.env.RUNTIME ?? '');
      const input = { environment: { driver: 'sandbox' }, lease: { metadata: {} } };
      await environmentRuntimeService().getDriver('sandbox').openDuplexChannel(input).catch(() => {});
      await sdk.shutdown();`,
  },
  'by-hand.ts': {
    before: `
      import { NodeSDK } from '@opentelemetry/sdk-node';
      import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
      interface Db { readonly rows: readonly object[] }
      const environmentRuntimeService = (db: Db, options: object) => ({
        releaseRunLeases: async (runId: string) => [runId, ...db.rows, options],
      });
      const db: Db = { rows: [] };
      const options = {};
      const myDriver = { driver: 'sandbox', execute: async (input: { environment: object }) => input };
      const sdk = new NodeSDK();
      sdk.start();`,
    after: `
      const sameType: typeof myDriver = driver;
      const alsoSameType: ReturnType<typeof environmentRuntimeService> = service;
      if (sameType !== myDriver) throw new Error('another object');
      await driver.execute({ environment: { driver: 'sandbox' } });
      await alsoSameType.releaseRunLeases('run-1');
      await sdk.shutdown();`,
  },
  'channel.ts': {
    before: `
      interface Lease { readonly metadata: { readonly [key: string]: unknown }; readonly providerLeaseId: string }
      interface Input { readonly environment: object; readonly lease: Lease; readonly command: string }
      const [environment, command, signal] = [{}, 'agent', new AbortController().signal];
      const driver = {
        openDuplexChannel: async ({ lease }: Input) => ({ openOn: lease.providerLeaseId }),
        execute: async ({ command }: Input) => ({ executed: command }),
      };
      const complete = { sandboxProviderPlugin: true, pluginId: 'plugin-1', provider: 'daytona' };
      const leases: Record<string, Lease> = {
        complete: { metadata: complete, providerLeaseId: 'first' },
        incomplete: { metadata: { sandboxProviderPlugin: true }, providerLeaseId: 'first' },
        other: { metadata: {}, providerLeaseId: 'first' },
      };
      const lease = leases[process.argv[2] ?? ''] as Lease;
      const acquireFreshLease = async (_: object) => ({ metadata: complete, providerLeaseId: 'fresh' });
      const stream = (channel: { openOn: string }) => console.log(channel.openOn);
      const report = (result: { executed: string }) => console.log(result.executed);`,
    after: '',
  },
};

describe('the code', () => {
  const RUNTIME = 'node_modules/@paperclipai/server/dist/services/environment-runtime.js';
  const OTEL = { OTEL_TRACES_EXPORTER: 'console', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
  let folder: string;
  let problems: string;
  beforeAll(() => {
    folder = project({
      [RUNTIME]: RUNTIME_SOURCE,
      'node_modules/@paperclipai/server/package.json': {
        name: '@paperclipai/server',
        version: '2026.916.1',
        type: 'module',
      },
    });
    const codes = blocks('js');
    for (const [index, [name, { before, after }]] of Object.entries(AROUND).entries())
      writeFileSync(join(folder, name), `${before}\n${codes[index]}\n${after}\nexport {};\n`);
    const options = '--strict --exactOptionalPropertyTypes --module nodenext --target es2022 --types node';
    try {
      const tsc = resolve('node_modules/.bin/tsc');
      problems = execFileSync(tsc, [...options.split(' '), ...Object.keys(AROUND)], {
        cwd: folder,
        encoding: 'utf8',
      });
    } catch (error) {
      problems = (error as { stdout: string }).stdout;
    }
  });

  const run = (program: string, { node = [], args = [] }: { node?: string[]; args?: string[] } = {}) =>
    runNode([...node, join(folder, program), ...args], {
      cwd: folder,
      env: { ...OTEL, RUNTIME: join(folder, RUNTIME) },
    });
  const spanNames = (printed: string) =>
    [...printed.matchAll(/^ {2}name: '(.+)',$/gm)].map(([, name]) => name);

  it('is as many blocks as are tried here', () => {
    expect(blocks('js')).toHaveLength(Object.keys(AROUND).length);
  });

  it('compiles, checked strictly', () => {
    expect(problems).toBe('');
  });

  it.each([
    ["OpenTelemetry's loader hook", ['--import', DOCUMENTED_HOOK], ['open_duplex_channel sandbox']],
    [
      'the preload ./register',
      ['--import', 'opentelemetry-instrumentation-paperclip/register'],
      ['open_duplex_channel sandbox'],
    ],
    ['neither', [], []],
  ])('for a set-up of your own attaches to Paperclip behind %s', async (_, node, names) => {
    const { code, stdout, stderr } = await run('setup.js', { node });
    expect({ code, stderr, names: spanNames(stdout) }).toEqual({ code: 0, stderr: '', names });
  });

  it('for a runtime and a driver that you build yourself needs no hook', async () => {
    const { code, stdout, stderr } = await run('by-hand.js');
    expect({ code, stderr, names: spanNames(stdout) }).toEqual({
      code: 0,
      stderr: '',
      names: ['execute sandbox', 'release_run_leases'],
    });
  });

  it.each([
    ['complete', 'first'],
    ['incomplete', 'fresh'],
    ['other', 'sh'],
  ])('for hosts that open channels: a lease that is %s leads to %s', async (lease, printed) => {
    const { code, stdout, stderr } = await run('channel.js', { args: [lease] });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${printed}\n`, stderr: '' });
  });
});
