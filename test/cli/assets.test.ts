import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RECORD_FILE, writeAssets } from '../../src/cli/assets.js';

const SHIPPED = 'observability/generated';
const RULES = 'prometheus/paperclip.rules.yml';
const DASHBOARD = 'dashboards/paperclip-overview.json';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'assets-'));
  folder = join(parent, 'not', 'there', 'yet');
});
afterEach(() => rmSync(parent, { recursive: true }));

const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const shipped = (path: string) => readFileSync(join(SHIPPED, path), 'utf8');
const change = (path: string, content = 'mine') => writeFileSync(join(folder, path), content);

/** As if an earlier version had written the file, with other content. */
function age(path: string) {
  change(path, 'old');
  const record = JSON.parse(read(RECORD_FILE));
  // SHA-256 of "old".
  record.files[path] = 'cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4';
  change(RECORD_FILE, JSON.stringify(record));
}

it('a folder that is not there is made, and holds what the package ships', () => {
  expect(writeAssets(folder, false)).toEqual({
    written: filesIn(SHIPPED),
    unchanged: [],
    changed: [],
    retired: [],
  });
  expect(filesIn(folder)).toEqual([RECORD_FILE, ...filesIn(SHIPPED)].sort());
  for (const file of filesIn(SHIPPED)) expect(read(file)).toBe(readFileSync(join(SHIPPED, file), 'utf8'));
});

it('a second time writes nothing', () => {
  writeAssets(folder, false);
  expect(writeAssets(folder, false)).toEqual({
    written: [],
    unchanged: filesIn(SHIPPED),
    changed: [],
    retired: [],
  });
});

it('files that an earlier version wrote are brought up to date', () => {
  writeAssets(folder, false);
  age(RULES);
  expect(writeAssets(folder, false).written).toEqual([RULES]);
  expect(read(RULES)).toBe(readFileSync(join(SHIPPED, RULES), 'utf8'));
});

it('files that were changed are named and left as they are, and all others are written', () => {
  writeAssets(folder, false);
  age(RULES);
  change(DASHBOARD);
  const { written, changed } = writeAssets(folder, false);
  expect({ written, changed }).toEqual({ written: [RULES], changed: [DASHBOARD] });
  expect([read(DASHBOARD), read(RULES)]).toEqual(['mine', shipped(RULES)]);
});

it('a changed file is known as one at each later time, until it is again what was written there last', () => {
  writeAssets(folder, false);
  age(DASHBOARD);
  change(DASHBOARD);
  for (const _ of ['once', 'again']) expect(writeAssets(folder, false).changed).toEqual([DASHBOARD]);
  change(DASHBOARD, 'old');
  expect(writeAssets(folder, false)).toMatchObject({ written: [DASHBOARD], changed: [] });
});

it('a file that is not from here is never taken for one that an earlier version wrote', () => {
  mkdirSync(join(folder, 'dashboards'), { recursive: true });
  change(DASHBOARD);
  for (const _ of ['once', 'again']) expect(writeAssets(folder, false).changed).toEqual([DASHBOARD]);
  expect(read(DASHBOARD)).toBe('mine');
});

it('changed files are overwritten when told to', () => {
  writeAssets(folder, false);
  change(DASHBOARD);
  expect(writeAssets(folder, true).written).toEqual([DASHBOARD]);
  expect(read(DASHBOARD)).toBe(readFileSync(join(SHIPPED, DASHBOARD), 'utf8'));
});

it.each([
  ['none', () => rmSync(join(folder, RECORD_FILE))],
  ['one that cannot be read', () => change(RECORD_FILE, '{ "files": [')],
  ['one of another form', () => change(RECORD_FILE, '{ "files": { "x": 1 } }')],
])('with %s of the records of what was written, every file that differs counts as changed', (_, damage) => {
  writeAssets(folder, false);
  age(RULES);
  damage();
  expect(writeAssets(folder, false)).toMatchObject({ written: [], changed: [RULES] });
});

it('a file that is no longer shipped is left where it is, and named', () => {
  writeAssets(folder, false);
  age('dashboards/paperclip-former.json');
  expect(writeAssets(folder, false).retired).toEqual(['dashboards/paperclip-former.json']);
  expect(read('dashboards/paperclip-former.json')).toBe('old');
});

it("other files in the folder are nobody's business", () => {
  writeAssets(folder, false);
  change('dashboards/theirs.json');
  expect(writeAssets(folder, true)).toEqual({
    written: [],
    unchanged: filesIn(SHIPPED),
    changed: [],
    retired: [],
  });
  expect(read('dashboards/theirs.json')).toBe('mine');
});

it('a file in place of the folder is named', () => {
  const file = join(parent, 'file');
  writeFileSync(file, '');
  expect(() => writeAssets(file, false)).toThrow(`${file} is not a folder; name one to write into`);
});
