import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
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

it.runIf(process.platform !== 'win32')('a folder that is gone is told, and ends it with 1', async () => {
  const root = tree({ 'tmp/file': '' });
  const { stdout, stderr } = await bash('mkdir gone; cd gone; rmdir ../gone; "$@"; echo $?', root, 'doctor');
  expect(stdout).toBe('1\n');
  expect(stderr).toBe('error: this folder is gone: go to the one in which the server is started\n');
});

it('JSON keeps what would control the terminal, as escapes', async () => {
  const place = '/nope\u009B2J\u202E';
  const { stdout } = await runNode([COMMAND, 'doctor', place, '--json'], { cwd: tree({}), env: QUIET });
  expect(stdout).not.toMatch(/[\u009B\u202E]/);
  const findings: { check: string; found: string }[] = JSON.parse(stdout).findings;
  expect(findings.find(({ check }) => check === 'paperclip')?.found).toBe(
    `${place} does not exist, or may not be read`,
  );
});

describe('of a server that can be attached to', () => {
  const files = {
    'tmp/file': '',
    [`${SERVER}/package.json`]: manifest('@paperclipai/server'),
    [`${SERVER}/dist/services/environment-runtime.js`]: `
const driver = { async openDuplexChannel() { throw new Error(); } };
export const environmentRuntimeService = () => ({ getDriver: () => driver });`,
  };

  it('a server on which nothing would be recorded, because nobody starts an SDK, is a problem', async () => {
    const root = tree(files);
    const { code, stdout } = await runNode([COMMAND, 'doctor', '-p', 'register'], { cwd: root, env: {} });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ SDK +this Paperclip starts none, and neither does the preload\s+register:/m);
    expect(stdout).toMatch(/\n\n1 problem, .*\n$/);
  });

  it('a temporary folder that is gone is told, and how to have it', async () => {
    const root = tree(files);
    const TMPDIR = join(root, 'gone');
    const { stdout } = await runNode([COMMAND, 'doctor', '--json'], {
      cwd: root,
      env: { TMPDIR, ...QUIET },
    });
    expect(hookIn(stdout)).toEqual([
      {
        check: 'hook',
        mark: 'problem',
        found: expect.stringMatching(/^no temporary folder can be made for its process: ENOENT: /),
        remedy: `mkdir -p ${TMPDIR}`,
      },
    ]);
  });

  it.runIf(process.platform === 'linux')(
    'a folder that the user is in and may not enter keeps no check from being made',
    async () => {
      const root = tree({ ...files, 'closed/file': '' });
      chmodSync(root, 0o755);
      chmodSync(join(root, 'tmp'), 0o777);
      // Only root may enter every folder.
      const user = process.getuid?.() === 0 ? 'setpriv --reuid 65534 --regid 65534 --clear-groups' : '';
      const { stdout } = await bash(
        `cd closed; chmod 0 .; ${user} "$@"; chmod 700 .`,
        root,
        'doctor',
        join(root, SERVER),
        '--json',
      );
      expect(hookIn(stdout)).toMatchObject([{ mark: 'ok' }]);
      expect(stdout).not.toContain('the check itself failed');
    },
  );
});

function hookIn(json: string) {
  return JSON.parse(json).findings.filter(({ check }: { check: string }) => check === 'hook');
}

it.runIf(process.platform === 'linux')('what cannot be written is told, and ends it with 1', async () => {
  const root = tree({ 'tmp/file': '' });
  const { stdout, stderr } = await bash('"$@" > /dev/full; echo $?', root, '--version');
  expect(stdout).toBe('1\n');
  expect(stderr).toBe('error: ENOSPC: no space left on device, write\n');
});
