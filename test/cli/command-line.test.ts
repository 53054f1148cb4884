import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGE_VERSION } from '../../src/version.js';
import { commandLine } from '../support/command-line.js';
import { tree } from '../support/tree.js';

const NAME = 'opentelemetry-instrumentation-paperclip';
const RULES = 'prometheus/paperclip.rules.yml';

it('assets writes the files, says which, and ends with 0', async () => {
  const folder = join(tree({}), 'monitoring');
  const { status, stdout, stderr } = await commandLine('assets', folder);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  const paths = lines.slice(0, -1);
  expect(paths).toContain(join(folder, RULES));
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  expect(lines.at(-1)).toBe(`${paths.length} written, 0 already there`);
});

it('assets writes them with the names of a Prometheus that keeps dots, and over those with other names', async () => {
  const folder = join(tree({}), 'monitoring');
  const rules = join(folder, RULES);
  const written = async (...options: string[]) => {
    expect((await commandLine('assets', folder, ...options)).status).toBe(0);
    return readFileSync(rules, 'utf8');
  };
  const shipped = readFileSync(join('observability/generated', RULES), 'utf8');
  expect(await written()).toBe(shipped);
  expect(await written('--naming', 'NoTranslation')).toContain(
    '{"paperclip.environment.operation.duration_count"',
  );
  expect(await written('--naming', 'NoTranslation', '--native-histograms')).toContain(
    'histogram_count({"paperclip.environment.operation.duration"})',
  );
  expect(await written('--naming', 'underscores')).toBe(shipped);
});

it('a changed file is left as it is and ends it with 1 and its name, and --force with 0', async () => {
  const folder = join(tree({}), 'changed');
  const rules = join(folder, RULES);
  const count = (await commandLine('assets', folder)).stdout.trimEnd().split('\n').length - 1;
  writeFileSync(rules, 'groups: []\n');
  expect(await commandLine('assets', folder)).toEqual({
    status: 1,
    stdout: `0 written, ${count - 1} already there\n`,
    stderr: `error: these files were changed since they were written, or are not from here, and are left as they are; --force overwrites them:
  ${rules}
`,
  });
  expect(readFileSync(rules, 'utf8')).toBe('groups: []\n');
  const { status, stdout } = await commandLine('assets', folder, '--force');
  expect([status, stdout.split('\n')[0]]).toEqual([0, rules]);
});

it('a link is left as it is and ends it with 1 and its name', async () => {
  const folder = tree({ elsewhere: 'theirs', 'monitoring/prometheus/file': '' });
  const rules = join(folder, 'monitoring', RULES);
  symlinkSync(join(folder, 'elsewhere'), rules);
  const { status, stderr } = await commandLine('assets', join(folder, 'monitoring'));
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `error: nothing is written through these links; --force replaces them, and leaves what they lead to as it is:
  ${rules}
`,
  });
  expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('theirs');
});

const missing = (argument: string) => `error: missing required argument '${argument}'`;
const invalid = (option: string, value: string, why: string) =>
  `error: option '${option}' argument '${value}' is invalid. It is not ${why}`;

it.each([
  [['assets'], missing('folder')],
  [['assets', ''], 'error: the folder has no name'],
  [['assets', 'a', '--forse'], "error: unknown option '--forse'\n(Did you mean --force?)"],
  [
    ['assets', 'a', '--naming', 'dots'],
    "error: option '--naming <name>' argument 'dots' is invalid. Allowed choices are underscores, NoUTF8EscapingWithSuffixes, NoTranslation.",
  ],
  [['asets', 'a'], "error: unknown command 'asets'\n(Did you mean assets?)"],
  [['catalog'], `Usage: ${NAME} catalog [options] [command]`],
  [['catalog', 'chek', 'a'], "error: unknown command 'chek'\n(Did you mean check?)"],
  [['catalog', 'check'], missing('file')],
  [['doctor', ''], 'error: the path of the server is empty'],
  [['run'], missing('command')],
  [['run', '--'], missing('command')],
  [['run', ''], 'error: the command has no name'],
  [['run', '--strat', 'node'], "error: unknown option '--strat'\n(Did you mean --start?)"],
  [['tail', '--port', '65536'], invalid('-p, --port <port>', '65536', 'a port, from 0 to 65535.')],
  [['tail', '--port', 'x'], invalid('-p, --port <port>', 'x', 'a port, from 0 to 65535.')],
  [
    ['tail', '--once', '--wait', '0'],
    invalid('--wait <seconds>', '0', 'a number of seconds, from 1 to 2147483.'),
  ],
  ...['', ' ', 'http://127.0.0.1', 'localhost:4319', '[::1]:4319', '127.0.0.1/'].map(
    (host): [string[], string] => [
      ['tail', '--host', host],
      invalid('--host <host>', host, 'a host alone, such as 127.0.0.1: the port goes with --port.'),
    ],
  ),
  [['tail', '--wait', '5'], 'error: --wait goes with --once'],
  [['tail', '--onse'], "error: unknown option '--onse'\n(Did you mean --once?)"],
  [['tail', 'here'], "error: too many arguments for 'tail'. Expected 0 arguments but got 1."],
  [[], `Usage: ${NAME} [options] [command]`],
])('%j is wrong usage: it ends with 2 and says what is', async (args, message) => {
  const { status, stdout, stderr } = await commandLine(...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.startsWith(message)).toBe(true);
});

it('help and version go to standard output and end with 0', async () => {
  expect(await commandLine('--version')).toEqual({ status: 0, stdout: `${PACKAGE_VERSION}\n`, stderr: '' });
  for (const args of [
    ['--help'],
    ['help', 'assets'],
    ['assets', '--help'],
    ['catalog', '--help'],
    ['catalog', 'check', '--help'],
    ['doctor', '--help'],
    ['run', '--help'],
    ['tail', '--help'],
  ]) {
    const { status, stdout, stderr } = await commandLine(...args);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: ${NAME}`);
  }
});
