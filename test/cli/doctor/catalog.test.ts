import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorRecords } from '../../../src/cli/doctor/error-records.js';
import { builtInCatalog } from '../../../src/errors/catalog.js';
import { commandLine } from '../../support/command-line.js';
import { tree } from '../../support/tree.js';

const VARIABLE = 'OTEL_INSTRUMENTATION_PAPERCLIP_ERROR_CATALOG';
const BUILT_IN = `${builtInCatalog.records.length} built-in records`;

const record = (slug: string, message: string) => ({
  ...builtInCatalog.records[0],
  slug,
  errorMessage: message,
  messagePattern: null,
});
const look = (file: string | undefined, folder: string) =>
  errorRecords.run({
    env: file === undefined ? {} : { [VARIABLE]: file },
    preload: 'start',
    folder,
    server: undefined,
  });

describe('the error catalog', () => {
  it('is the built-in one', () => {
    const found = `${BUILT_IN}, and none of your own`;
    expect(look(undefined, '/')).toEqual([{ mark: 'ok', found }]);
    expect(look(' ', '/')).toEqual([{ mark: 'ok', found }]);
  });

  it('is a file, from the folder in which the server is started', () => {
    const folder = tree({ 'errors.json': [record('one', 'One.'), record('two', 'Two.')] });
    expect(look('errors.json', folder)).toEqual([
      { mark: 'ok', found: `${folder}/errors.json: 2 records, before ${BUILT_IN}` },
    ]);
  });

  it('has a line for a pattern that can take for ever, which a server does not leave out', () => {
    const folder = tree({ 'errors.json': { ...record('one', 'One.'), messagePattern: '(a+)+$' } });
    expect(look('errors.json', folder)).toEqual([
      expect.objectContaining({
        mark: 'problem',
        found: expect.stringMatching(/record 0 \("one"\): messagePattern: repeats .* on a short message$/),
      }),
    ]);
  });

  it('has a line for each bad record, and a command that finds them repaired', async () => {
    const folder = tree({ 'errors.json': [record('one', 'One.'), { slug: 'two' }, 'three'] });
    const file = join(folder, 'errors.json');
    const findings = look('errors.json', folder) as { mark: string; found: string; remedy: string }[];
    expect(findings.map(({ mark, found }) => `${mark} ${found}`)).toEqual([
      expect.stringMatching(`^problem ${file}: record 1 \\("two"\\): \\w+: .*; the record is left out$`),
      expect.stringMatching(`^problem ${file}: record 2: .*; the record is left out$`),
    ]);
    const command = /^correct the record in .*, and check it: node (\S+) (catalog check \S+)$/.exec(
      findings[0]?.remedy ?? '',
    );
    const check = () => commandLine(...(command?.[2] ?? '').split(' '));
    expect((await check()).status).toBe(1);

    writeFileSync(file, JSON.stringify([record('one', 'One.')]));
    expect((await check()).status).toBe(0);
    expect(look('errors.json', folder)).toEqual([
      { mark: 'ok', found: `${file}: 1 record, before ${BUILT_IN}` },
    ]);
  });

  it('tells of records that do something else than they seem to', () => {
    const folder = tree({ 'errors.json': [record('one', 'One.'), record('one', 'Two.')] });
    expect(look('errors.json', folder)).toEqual([
      { mark: 'note', found: `${folder}/errors.json: record 1 ("one"): record 0 has the same slug` },
      { mark: 'ok', found: `${folder}/errors.json: 2 records, before ${BUILT_IN}` },
    ]);
  });

  it.each([
    ['none.json', 'there is no such file'],
    ['.', 'is a folder; name a file'],
    ['empty.json', 'holds no error record'],
  ])('cannot be used: %s', (file, what) => {
    const folder = tree({ 'empty.json': [] });
    expect(look(file, folder)).toEqual([
      {
        mark: 'problem',
        found: `${join(folder, file)}: ${what}; only ${BUILT_IN} are used`,
        remedy: `set ${VARIABLE} to a file of error records, or unset it`,
      },
    ]);
  });
});
