import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PACKAGE_VERSION } from '../../src/version.js';

const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Where npm would put a link to the command. */
let folder: string;
let command: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  command = join(folder, 'command');
  symlinkSync(resolve(bin['opentelemetry-instrumentation-paperclip']), command);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

it('assets writes the files, says which, and ends with 0', () => {
  const { status, stdout, stderr } = run('assets', 'monitoring');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  const paths = lines.slice(0, -1);
  expect(paths).toContain(join('monitoring', 'prometheus', 'paperclip.rules.yml'));
  expect(paths.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  expect(lines.at(-1)).toBe(`${paths.length} written, 0 already there`);
});

it('a changed file is left as it is and ends it with 1 and its name, and --force with 0', () => {
  const count = run('assets', 'changed').stdout.trimEnd().split('\n').length - 1;
  const rules = join('changed', 'prometheus', 'paperclip.rules.yml');
  writeFileSync(join(folder, rules), 'groups: []\n');
  expect(run('assets', 'changed')).toEqual({
    status: 1,
    stdout: `0 written, ${count - 1} already there\n`,
    stderr: `error: these files were changed since they were written, or are not from here, and are left as they are; --force overwrites them:
  ${rules}
`,
  });
  expect(readFileSync(join(folder, rules), 'utf8')).toBe('groups: []\n');
  const { status, stdout } = run('assets', 'changed', '--force');
  expect([status, stdout.split('\n')[0]]).toEqual([0, rules]);
});

it.each([
  [['assets'], "error: missing required argument 'folder'"],
  [['assets', 'a', '--forse'], "error: unknown option '--forse'\n(Did you mean --force?)"],
  [['asets', 'a'], "error: unknown command 'asets'\n(Did you mean assets?)"],
  [['catalog'], 'Usage: opentelemetry-instrumentation-paperclip catalog [options] [command]'],
  [['catalog', 'chek', 'a'], "error: unknown command 'chek'\n(Did you mean check?)"],
  [['catalog', 'check'], "error: missing required argument 'file'"],
  [[], 'Usage: opentelemetry-instrumentation-paperclip [options] [command]'],
])('%j is wrong usage: it ends with 2 and says what is', (args, message) => {
  const { status, stdout, stderr } = run(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.startsWith(message)).toBe(true);
});

it('help and version go to standard output and end with 0', () => {
  expect(run('--version')).toEqual({ status: 0, stdout: `${PACKAGE_VERSION}\n`, stderr: '' });
  for (const args of [
    ['--help'],
    ['help', 'assets'],
    ['assets', '--help'],
    ['catalog', '--help'],
    ['catalog', 'check', '--help'],
    ['run', '--help'],
    ['tail', '--help'],
  ]) {
    const { status, stdout, stderr } = run(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Usage: opentelemetry-instrumentation-paperclip');
  }
});
