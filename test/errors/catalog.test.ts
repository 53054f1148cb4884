import { describe, expect, it } from 'vitest';
import { BUILT_IN_RECORDS } from '../../src/errors/built-in.js';
import { loadErrorCatalog } from '../../src/index.js';

const good = { schemaVersion: 2, slug: 'good', errorMessage: 'a', messagePattern: 'a', backgroundTag: 'tag' };
const published = { record: { ...good, errorCode: null, tags: ['x'] }, datasetVersion: '2026-09-23' };

describe('loading error records', () => {
  it.each([
    ['one bare record', JSON.stringify(good)],
    ['one record in its envelope', JSON.stringify(published)],
    ['an array', JSON.stringify([published])],
    ['one a line', `${JSON.stringify(published)}\n\n`],
    ['a parsed value', published],
  ])('takes %s', (_form, json) => {
    const { records, problems } = loadErrorCatalog(json);
    expect(records.map(({ slug }) => slug)).toEqual(['good']);
    expect(problems).toEqual([]);
  });

  it('takes several, one a line', () => {
    const text = [published, { ...good, slug: 'other' }].map((entry) => JSON.stringify(entry)).join('\n');
    expect(loadErrorCatalog(text).records.map(({ slug }) => slug)).toEqual(['good', 'other']);
  });

  it.each([
    ['schemaVersion', { ...good, schemaVersion: 1 }, 'file.json: record 1 ("good"): schemaVersion: '],
    ['backgroundTag', { ...good, backgroundTag: undefined }, 'file.json: record 1 ("good"): backgroundTag: '],
    ['backgroundTag', { ...good, backgroundTag: 'a b' }, 'file.json: record 1 ("good"): backgroundTag: '],
    ['messagePattern', { ...good, messagePattern: '(' }, 'file.json: record 1 ("good"): messagePattern: '],
    [
      'messagePattern',
      { ...good, errorMessage: null, messagePattern: null },
      'file.json: record 1 ("good"): messagePattern: needs errorMessage or messagePattern',
    ],
    ['slug', { ...good, slug: '' }, 'file.json: record 1: slug: '],
    ['', 'text', 'file.json: record 1: '],
    ['', null, 'file.json: record 1: '],
  ])('names file, record and field (%s) of a bad record and loads the others', (field, bad, message) => {
    const catalog = loadErrorCatalog(JSON.stringify([good, bad, { ...good, slug: 'last' }]), {
      source: 'file.json',
    });
    expect(catalog.records.map(({ slug }) => slug)).toEqual(['good', 'last']);
    expect(catalog.problems).toHaveLength(1);
    expect(catalog.problems[0]).toMatchObject({ index: 1, field });
    expect(catalog.problems[0]?.message).toContain(message);
  });

  it('names the line that is no JSON and loads the others', () => {
    const catalog = loadErrorCatalog(`${JSON.stringify(good)}\n{oops\n`, { source: 'file.jsonl' });
    expect(catalog.records).toHaveLength(1);
    expect(catalog.problems.map(({ message }) => message)).toEqual(['file.jsonl: record 1: is not JSON']);
  });

  it.each([
    ['', 'error catalog: is neither JSON nor one JSON record a line'],
    ['no json', 'error catalog: is neither JSON nor one JSON record a line'],
    ['[]', 'error catalog: holds no error record'],
  ])('refuses a text without any record: "%s"', (text, message) => {
    expect(() => loadErrorCatalog(text)).toThrow(new TypeError(message));
  });
});

describe('the built-in records', () => {
  it('are valid records with slugs of their own', () => {
    const { records, problems } = loadErrorCatalog(BUILT_IN_RECORDS);
    expect(problems).toEqual([]);
    expect(records).toHaveLength(BUILT_IN_RECORDS.length);
    expect(new Set(records.map(({ slug }) => slug)).size).toBe(records.length);
  });

  it('mark all but the two published ones as derived', () => {
    const origins = BUILT_IN_RECORDS.map(({ origin }) => origin);
    expect(origins.slice(0, 2)).toEqual(['published', 'published']);
    expect(new Set(origins.slice(2))).toEqual(new Set(['derived']));
  });
});
