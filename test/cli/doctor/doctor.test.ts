import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { manifest, runNode, tree } from '../../support/tree.js';

const COMMAND = resolve('dist/cli/main.js');
const QUIET = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
const SERVER = 'node_modules/@paperclipai/server';

/** @param script for bash, in which `"$@"` is the command with its arguments */
async function bash(script: string, root: string, ...args: string[]) {
  const shell = await promisify(execFile)(
    'bash',
    ['-c', script, 'bash', process.execPath, COMMAND, ...args],
    { cwd: root, env: { PATH: process.env.PATH, HOME: root, TMPDIR: join(root, 'tmp'), ...QUIET } },
  );
  return { stdout: shell.stdout, stderr: shell.stderr };
}

it('a folder on the PATH that has the name of the command ends no check', async () => {
  const root = tree({});
  mkdirSync(join(root, 'bin/paperclipai'), { recursive: true });
  const { code, stdout, stderr } = await runNode([COMMAND, 'doctor', '--json'], {
    cwd: root,
    env: { PATH: join(root, 'bin'), HOME: root, ...QUIET },
  });
  expect([code, stderr]).toEqual([1, '']);
  const checks = JSON.parse(stdout).findings.map(({ check }: { check: string }) => check);
  expect(checks).toEqual(expect.arrayContaining(['node', 'paperclip', 'catalog']));
});

it('where nobody reads any more, it ends quietly, and leaves nothing behind', async () => {
  const root = tree({
    'tmp/file': '',
    [`${SERVER}/package.json`]: manifest('@paperclipai/server'),
    // Loading it takes longer than the first line does.
    [`${SERVER}/dist/services/environment-runtime.js`]:
      'await new Promise((done) => setTimeout(done, 10_000));',
  });
  const { stdout, stderr } = await bash('"$@" | head -1; echo $PIPESTATUS', root, 'doctor');
  expect(stdout).toMatch(/^✓ Node\.js .*\n0\n$/);
  expect(stderr).toBe('');
  expect(readdirSync(join(root, 'tmp'))).toEqual(['file']);
});

it.runIf(process.platform === 'linux')('what cannot be written is told, and ends it with 1', async () => {
  const root = tree({ 'tmp/file': '' });
  const { stdout, stderr } = await bash('"$@" > /dev/full; echo $?', root, '--version');
  expect(stdout).toBe('1\n');
  expect(stderr).toBe('error: ENOSPC: no space left on device, write\n');
});
