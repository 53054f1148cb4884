import { chmodSync, symlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PACKAGE_VERSION } from '../../src/version.js';
import {
  AWKWARD_NAME,
  DEPENDENCIES,
  type Ended,
  installed,
  manifest,
  REGISTER,
  type RunOptions,
  runNode,
  START,
  tree,
} from '../support/tree.js';

const COMMAND = resolve('dist/cli/main.js');
const TOLD = fileURLToPath(new URL('told.mjs', import.meta.url));

const importOf = (preload: string) => `--import=${pathToFileURL(preload).href}`;
const run = (args: string[], options?: RunOptions) => runNode([COMMAND, 'run', ...args], options);
/** No SDK of `--start` looks for a collector. */
const QUIET = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };

function told({ stdout, stderr }: Ended) {
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout.split('\n')[0] as string);
}

describe('the preload', () => {
  it.each([
    ['./register', [], REGISTER],
    ['./start, with --start,', ['--start'], START],
  ])('%s runs in the command, wherever that is', async (_, options, preload) => {
    const ended = await run([...options, '--', 'node', TOLD, 'exit', '0'], { cwd: tree({}), env: QUIET });
    expect({ ...told(ended), stderr: ended.stderr, code: ended.code }).toEqual({
      isPreloaded: true,
      options: importOf(preload),
      args: ['exit', '0'],
      stderr: '',
      code: 0,
    });
  });

  it.each([
    ['npx', ['npx', '--offline', 'paperclipai', 'run']],
    ['a shell', ['sh', '-c', 'node_modules/.bin/paperclipai "$@"', 'sh', 'run']],
  ])('reaches a command behind %s', async (_, command) => {
    const cwd = tree({ 'package.json': manifest('project'), 'node_modules/.bin/.keep': '' });
    symlinkSync(TOLD, join(cwd, 'node_modules/.bin/paperclipai'));
    expect(told(await run(['--', ...command], { cwd }))).toEqual({
      isPreloaded: true,
      options: importOf(REGISTER),
      args: ['run'],
    });
  });

  it('is found in an installation whose path a shell would take apart', async () => {
    const folder = installed(AWKWARD_NAME, DEPENDENCIES);
    const ended = await runNode([join(folder, 'dist/cli/main.js'), 'run', '--', 'node', TOLD]);
    expect({ ...told(ended), stderr: ended.stderr }).toEqual({
      isPreloaded: true,
      options: importOf(join(folder, 'dist/register.js')).replaceAll("'", '%27'),
      args: [],
      stderr: '',
    });
  });

  it('is added to other options, and takes the place of a lesser one', async () => {
    const NODE_OPTIONS = `--title="a b" ${importOf(REGISTER)}  --no-warnings`;
    const ended = await run(['--start', '--', process.execPath, TOLD], { env: { ...QUIET, NODE_OPTIONS } });
    const options = `--title="a b" --no-warnings ${importOf(START)}`;
    expect(told(ended)).toEqual({ isPreloaded: true, options, args: [] });
  });

  it('a server keeps it from its children', async () => {
    const folder = 'node_modules/@paperclipai/server';
    const root = tree({
      [`${folder}/package.json`]: manifest('@paperclipai/server'),
      [`${folder}/dist/services/environment-runtime.js`]: 'export function environmentRuntimeService() {}',
      'main.mjs': `import { execFileSync } from 'node:child_process';
await import('./${folder}/dist/services/environment-runtime.js');
process.stdout.write(execFileSync('node', [${JSON.stringify(TOLD)}]));`,
    });
    expect(told(await run(['--', 'node', join(root, 'main.mjs')]))).toEqual({
      isPreloaded: false,
      options: '',
      args: [],
    });
  });
});

it("the command's own options and dashes reach it, also without a dash before it", async () => {
  for (const dashes of [[], ['--']]) {
    const ended = await run([...dashes, 'node', TOLD, '--start', '--', '--help', '-x', '']);
    expect(told(ended).args).toEqual(['--start', '--', '--help', '-x', '']);
  }
});

it('the exit code is that of the command', async () => {
  for (const code of [0, 1, 42]) {
    const ended = await run(['--', 'node', TOLD, 'exit', String(code)]);
    expect([ended.code, ended.signal]).toEqual([code, null]);
  }
});

it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])(
  'it dies of %s where the command does',
  async (signal) => {
    const ended = await run(['--', 'node', TOLD, 'kill', signal]);
    expect([ended.code, ended.signal]).toEqual([null, signal]);
  },
);

/** Sends a signal to `run`, whose command waits, and on this one, if it is given, shuts down. */
const send = (signal: NodeJS.Signals, ...listened: string[]) => {
  let isSent = false;
  return run(['--', 'node', TOLD, 'wait', ...listened], {
    onOutput: (stdout, kill) => {
      if (isSent || !stdout.includes('waiting')) return;
      isSent = true;
      kill(signal);
    },
  });
};

it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)(
  '%s is passed on once, and a command that shuts down is waited for',
  async (signal) => {
    const { code, stderr } = await send(signal, signal);
    expect([code, stderr]).toEqual([3, '']);
  },
);

it('a signal that is passed on may kill the command', async () => {
  const ended = await send('SIGTERM');
  expect([ended.code, ended.signal]).toEqual([null, 'SIGTERM']);
});

it('a command that SIGUSR1 kills ends it with its number, and starts no debugger here', async () => {
  const killed = await run(['--', 'sh', '-c', 'kill -USR1 $$']);
  expect([killed.code, killed.stderr]).toEqual([128 + constants.signals.SIGUSR1, '']);
});

it('a script without its interpreter is told from a command that is not there', async () => {
  const file = join(tree({ script: '#!/no/such/interpreter' }), 'script');
  chmodSync(file, 0o755);
  expect(await run(['--', file])).toMatchObject({
    code: 127,
    stderr: `error: ${file}: its interpreter is not found\n`,
  });
});

it('a command that is not there ends it with 127, one that cannot be started with 126', async () => {
  const folder = tree({ script: 'no program' });
  const missing = await run(['--', 'no-such-command', '--help']);
  expect(missing).toMatchObject({
    code: 127,
    stdout: '',
    stderr: 'error: no-such-command: command not found\n',
  });
  const file = join(folder, 'script');
  expect(await run(['--', file])).toMatchObject({
    code: 126,
    stdout: '',
    stderr: `error: ${file}: spawn ${file} EACCES\n`,
  });
});

it('--start says what to install where the SDK is not, here beside a global package, and starts nothing', async () => {
  const folder = installed('without', ['commander', 'zod']);
  const ended = await runNode([join(folder, 'dist/cli/main.js'), 'run', '--start', '--', 'node', TOLD]);
  expect(ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'error: --start needs @opentelemetry/sdk-node: npm install --global @opentelemetry/sdk-node\n',
  });
});

it('a preload in NODE_OPTIONS does nothing in the command itself', async () => {
  const isStarted = "globalThis[Symbol.for('opentelemetry.js.api.1')]?.metrics !== undefined";
  const atExit = encodeURIComponent(`process.on('exit', () => console.log(${isStarted}));`);
  const NODE_OPTIONS = `${importOf(START)} --import=data:text/javascript,${atExit}`;
  const env = { ...QUIET, OTEL_METRICS_EXPORTER: 'console', NODE_OPTIONS };
  const { stdout, stderr } = await runNode([COMMAND, '--version'], { env });
  expect({ stdout, stderr }).toEqual({ stdout: `${PACKAGE_VERSION}\nfalse\n`, stderr: '' });
});
