import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkCatalog, matchOf } from '../../src/cli/catalog/check.js';
import { BUILT_IN_RECORDS } from '../../src/errors/built-in.js';
import { commandLine } from '../support/command-line.js';
import { tree } from '../support/tree.js';

const quota = {
  schemaVersion: 2,
  slug: 'quota',
  messagePattern: 'quota of .* is used up',
  backgroundTag: 'quota',
};
const frozen = { schemaVersion: 2, slug: 'frozen', errorMessage: 'Frozen.', backgroundTag: 'frozen' };
const bad = { ...quota, slug: 'bad', backgroundTag: 'two words' };

/** The path of a file that holds these records, or this text. */
function fileOf(content: object | string): string {
  return join(tree({ 'errors.json': content }), 'errors.json');
}

const check = (...args: string[]) => commandLine('catalog', 'check', ...args);

const warningsOf = (...records: object[]) => {
  const file = fileOf(records);
  return checkCatalog(file).warnings.map((warning) => warning.replace(`${file}: `, ''));
};

it('each record is one line that says what it matches', async () => {
  const text = { ...frozen, slug: 'text', errorMessage: 'Not now.', messagePattern: 'Not now\\.' };
  expect(await check(fileOf([quota, frozen, text]))).toEqual({
    status: 0,
    stdout: `record 0 ("quota"): quota for messages like /quota of .* is used up/
record 1 ("frozen"): frozen for the message "Frozen."
record 2 ("text"): frozen for messages with "Not now."
`,
    stderr: '',
  });
});

it('records are read in the envelope and one a line, as they are published', () => {
  const file = fileOf(`${JSON.stringify({ record: quota, datasetVersion: 7 })}\n${JSON.stringify(frozen)}\n`);
  expect(checkCatalog(file).records.map(({ index, record }) => [index, record.slug])).toEqual([
    [0, 'quota'],
    [1, 'frozen'],
  ]);
});

it('each bad record is one line that names it, and ends it with 1; the others keep their places', async () => {
  const file = fileOf([bad, quota, { ...bad, slug: undefined, backgroundTag: 'quota', messagePattern: '(' }]);
  expect(await check(file)).toEqual({
    status: 1,
    stdout: 'record 1 ("quota"): quota for messages like /quota of .* is used up/\n',
    stderr: `error: ${file}: record 0 ("bad"): backgroundTag: may hold letters, digits, ".", "_" and "-" only
error: ${file}: record 2: slug: Invalid input: expected string, received undefined
`,
  });
});

it('warnings are told, and are no problem', async () => {
  const file = fileOf([{ ...quota, messagePattern: 'x*' }]);
  const { status, stderr } = await check(file);
  expect([status, stderr]).toEqual([
    0,
    `warning: ${file}: record 0 ("quota"): its messagePattern matches any message\n`,
  ]);
});

it.each([
  [
    'a record that an earlier one keeps from ever matching',
    [{ ...quota, messagePattern: 'Fro' }, frozen],
    ['record 1 ("frozen"): never matches its own errorMessage: record 0 ("quota") matches it first'],
  ],
  ['a record before the one that matches more', [frozen, { ...quota, messagePattern: 'Fro' }], []],
  [
    'a pattern that misses the message it stands for',
    [{ ...frozen, messagePattern: 'Frozen\\?' }],
    ['record 0 ("frozen"): its messagePattern does not match its errorMessage'],
  ],
  [
    'a pattern for any text',
    [{ ...quota, messagePattern: '.+' }],
    ['record 0 ("quota"): its messagePattern matches any message'],
  ],
  [
    'a pattern for no text',
    [{ ...quota, messagePattern: '^(quota)?$' }],
    ['record 0 ("quota"): its messagePattern matches an empty message'],
  ],
  [
    'a slug given twice',
    [quota, { ...frozen, slug: 'quota' }],
    ['record 1 ("quota"): record 0 has the same slug'],
  ],
])('warned of: %s', (_, records, warnings) => {
  expect(warningsOf(...records)).toEqual(warnings);
});

it('a message is tried on the records of the file, and then on the built-in ones', () => {
  const slug = 'sandbox-runner-ingress-is-missing-provider-identity';
  const index = BUILT_IN_RECORDS.findIndex((record) => record.slug === slug);
  const message = String(BUILT_IN_RECORDS[index]?.errorMessage);
  const file = fileOf([bad, quota]);
  const { records } = checkCatalog(file);
  const found = (tried: string) => {
    const match = matchOf(tried, file, records);
    return match && [match.source, match.index, match.record.slug];
  };
  expect(found('the quota of A is used up')).toEqual([file, 1, 'quota']);
  expect(found(message)).toEqual(['built-in', index, slug]);
  expect(found('something else')).toBeUndefined();
  const own = fileOf([{ ...quota, messagePattern: 'ingress' }]);
  expect(matchOf(message, own, checkCatalog(own).records)?.source).toBe(own);
});

it('--message says which record of which source it is, and ends with 1 where there is none', async () => {
  const file = fileOf([quota]);
  expect(await check(file, '--message', 'quota of A is used up')).toEqual({
    status: 0,
    stdout: `${file}: record 0 ("quota"): quota\n`,
    stderr: '',
  });
  expect(await check(file, '-m', 'Sandbox driver does not support duplex channels for this lease.')).toEqual({
    status: 0,
    stdout:
      'built-in: record 0 ("sandbox-driver-does-not-support-duplex-channels-fo"): unsupported-driver-operation\n',
    stderr: '',
  });
  expect(await check(file, '-m', '')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'error: no record matches the message\n',
  });
});

it('--json prints the same for machines', async () => {
  const file = fileOf([bad, { ...quota, messagePattern: 'x*' }]);
  const json = async (...args: string[]) => {
    const { status, stdout, stderr } = await check(file, '--json', ...args);
    return { status, stderr, json: JSON.parse(stdout) };
  };
  const expected = {
    records: [{ index: 1, slug: 'quota', backgroundTag: 'quota', matches: 'messages like /x*/' }],
    problems: [
      {
        index: 0,
        slug: 'bad',
        field: 'backgroundTag',
        message: `${file}: record 0 ("bad"): backgroundTag: may hold letters, digits, ".", "_" and "-" only`,
      },
    ],
    warnings: [`${file}: record 1 ("quota"): its messagePattern matches any message`],
  };
  expect(await json()).toEqual({ status: 1, stderr: '', json: expected });
  const match = { source: file, index: 1, slug: 'quota', backgroundTag: 'quota' };
  expect(await json('-m', 'y')).toEqual({ status: 1, stderr: '', json: { ...expected, match } });
  const other = await check(fileOf([quota]), '--json', '-m', 'y');
  expect([other.status, JSON.parse(other.stdout).match]).toEqual([1, null]);
});

it('a pattern that can take for ever is named, ends it with 1, and is tried on no message', async () => {
  const file = fileOf([quota, { ...quota, slug: 'evil', messagePattern: '(a+)+$' }]);
  const message = `${file}: record 1 ("evil"): messagePattern: repeats something that matches one text in two ways, as (a+)+ does, so it can take for ever on a short message`;
  const tried = `${'a'.repeat(60)}!`;
  expect(await check(file)).toEqual({
    status: 1,
    stdout: 'record 0 ("quota"): quota for messages like /quota of .* is used up/\n',
    stderr: `error: ${message}\n`,
  });
  const { stdout } = await check(file, '--json', '-m', tried);
  const problem = { index: 1, slug: 'evil', field: 'messagePattern', message };
  expect(JSON.parse(stdout)).toMatchObject({ problems: [problem], match: null });
});

describe('a file that tries to control the terminal', () => {
  const CONTROL = '\u001b]0;owned\u0007\u009b31m\u202e\u007f\r\n';
  const hostile = {
    schemaVersion: 2,
    slug: `slug${CONTROL}`,
    errorMessage: `message${CONTROL}`,
    messagePattern: `a|${CONTROL}`,
    backgroundTag: 'tag',
  };
  const folder = tree({
    [`errors${CONTROL.replace('/', '')}.json`]: [
      hostile,
      hostile,
      { ...hostile, messagePattern: `(${CONTROL}` },
      { ...hostile, backgroundTag: `tag${CONTROL}` },
      { ...hostile, messagePattern: `(a+)+${CONTROL}` },
      { ...hostile, messagePattern: undefined },
    ],
    [`text${CONTROL}`]: `${CONTROL}no JSON`,
  });
  const [records = '', text = ''] = readdirSync(folder).sort();

  it.each([
    ['its records', [join(folder, records)]],
    ['its records as JSON', [join(folder, records), '--json']],
    ['a record that matches', [join(folder, records), '--message', 'a']],
    ['a record that matches, as JSON', [join(folder, records), '--message', 'a', '--json']],
    ['no record', [join(folder, records), '--message', CONTROL.slice(0, 5)]],
    ['a file that is no JSON', [join(folder, text)]],
    ['a file that is not there', [join(folder, `none${CONTROL}`)]],
    ['an argument that is none', [join(folder, records), `--none${CONTROL}`]],
  ])('cannot: %s', async (_, args) => {
    const { stdout, stderr } = await check(...args);
    expect(`${stdout}${stderr}`).toContain('\\u001b]0;owned');
    expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });
});

it('a name with line breaks stays in its line', async () => {
  const { stdout } = await check(fileOf([{ ...frozen, slug: 'a\nrecord 1 ("b")' }]));
  expect(stdout).toBe('record 0 ("a\\nrecord 1 ("b")"): frozen for the message "Frozen."\n');
});

it('a file that is none, cannot be found or holds no records is named, and ends it with 1', async () => {
  const folder = tree({ 'text.json': 'text', 'empty.json': '[]' });
  for (const [file, what] of [
    ['missing.json', 'there is no such file'],
    ['.', 'is a folder; name a file'],
    ['text.json', 'is neither JSON nor one JSON record a line'],
    ['empty.json', 'holds no error record'],
  ] as const) {
    const path = join(folder, file);
    expect(await check(path)).toEqual({ status: 1, stdout: '', stderr: `error: ${path}: ${what}\n` });
  }
});
