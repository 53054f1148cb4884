import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RECORD_FILE, writeAssets } from '../../src/cli/assets.js';
import { SmallDisk, whyNoSmallDisk } from '../support/small-disk.js';

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
    links: [],
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
    links: [],
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
    links: [],
    retired: [],
  });
  expect(read('dashboards/theirs.json')).toBe('mine');
});

it('a file in place of the folder is named', () => {
  const file = join(parent, 'file');
  writeFileSync(file, '');
  expect(() => writeAssets(file, false)).toThrow(`${file} is not a folder; name one to write into`);
});

/** Links that a folder from somebody else may hold, to a place that is not in it. */
describe('a link below the folder', () => {
  let elsewhere: string;
  beforeEach(() => {
    elsewhere = join(parent, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(join(folder, 'prometheus'), { recursive: true });
  });
  const isLink = (path: string) => lstatSync(join(folder, path)).isSymbolicLink();

  it.each([['theirs'], [shipped(RULES)]])('to a file is named and never written through: %#', (content) => {
    const file = join(elsewhere, 'file');
    writeFileSync(file, content);
    symlinkSync(file, join(folder, RULES));
    expect(writeAssets(folder, false)).toMatchObject({ changed: [], links: [RULES] });
    expect([readFileSync(file, 'utf8'), isLink(RULES)]).toEqual([content, true]);
    expect(writeAssets(folder, true)).toMatchObject({ written: [RULES], links: [] });
    expect([readFileSync(file, 'utf8'), isLink(RULES), read(RULES)]).toEqual([
      content,
      false,
      shipped(RULES),
    ]);
  });

  it('to no file makes none there', () => {
    symlinkSync(join(elsewhere, 'new'), join(folder, RULES));
    expect(writeAssets(folder, false).links).toEqual([RULES]);
    expect(writeAssets(folder, true).written).toEqual([RULES]);
    expect([readdirSync(elsewhere), isLink(RULES)]).toEqual([[], false]);
  });

  it('to a folder is named and never written through', () => {
    writeFileSync(join(elsewhere, 'paperclip-overview.json'), 'theirs');
    symlinkSync(elsewhere, join(folder, 'dashboards'));
    expect(writeAssets(folder, false)).toMatchObject({ changed: [], links: ['dashboards'] });
    expect([filesIn(elsewhere), isLink('dashboards')]).toEqual([['paperclip-overview.json'], true]);
    expect(writeAssets(folder, true).links).toEqual([]);
    expect([filesIn(elsewhere), isLink('dashboards')]).toEqual([['paperclip-overview.json'], false]);
    expect(readFileSync(join(elsewhere, 'paperclip-overview.json'), 'utf8')).toBe('theirs');
    expect(read(DASHBOARD)).toBe(shipped(DASHBOARD));
  });

  it('in place of the records is replaced, and what it leads to counts for nothing', () => {
    writeAssets(folder, false);
    age(RULES);
    const file = join(elsewhere, 'record');
    writeFileSync(file, read(RECORD_FILE));
    const before = readFileSync(file, 'utf8');
    rmSync(join(folder, RECORD_FILE));
    symlinkSync(file, join(folder, RECORD_FILE));
    expect(writeAssets(folder, false).changed).toEqual([RULES]);
    expect([readFileSync(file, 'utf8'), isLink(RECORD_FILE)]).toEqual([before, false]);
  });
});

it('a folder that is itself a link to one is written into, because the user named it', () => {
  mkdirSync(join(parent, 'real'));
  symlinkSync(join(parent, 'real'), join(parent, 'link'));
  expect(writeAssets(join(parent, 'link'), false)).toMatchObject({ written: filesIn(SHIPPED), links: [] });
  expect(filesIn(join(parent, 'real'))).toEqual([RECORD_FILE, ...filesIn(SHIPPED)].sort());
});

it.each([
  ['a folder', RULES, (path: string) => mkdirSync(path, { recursive: true }), 'file'],
  ['a pipe', RULES, (path: string) => execFileSync('mkfifo', [path]), 'file'],
  ['a file', 'dashboards', (path: string) => writeFileSync(path, ''), 'folder'],
])('%s in the way is named, and is no endless wait', (_, path, make, what) => {
  mkdirSync(join(folder, 'prometheus'), { recursive: true });
  make(join(folder, path));
  for (const force of [false, true])
    expect(() => writeAssets(folder, force)).toThrow(`${join(folder, path)} is not a ${what}; move it away`);
});

it('a record from somebody else names no files outside of the folder, and nothing that a terminal would obey', () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(parent, 'secret'), '');
  change('a\u001B[2Jb', '');
  const names = ['../../../secret', 'a\u001B[2Jb'];
  change(RECORD_FILE, JSON.stringify({ files: Object.fromEntries(names.map((name) => [name, 'x'])) }));
  expect(writeAssets(folder, false).retired).toEqual([]);
});

it('a file that is brought up to date keeps its mode and, as far as that is allowed, its owner', () => {
  writeAssets(folder, false);
  age(RULES);
  chmodSync(join(folder, RULES), 0o640);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(join(folder, RULES), 65_534, 65_534);
  expect(writeAssets(folder, false).written).toEqual([RULES]);
  const { mode, uid } = statSync(join(folder, RULES));
  expect([mode & 0o777, uid]).toEqual([0o640, isRoot ? 65_534 : process.getuid?.()]);
});

it('a new file has the mode of any new file', () => {
  writeAssets(folder, false);
  change('other', '');
  expect(statSync(join(folder, RULES)).mode).toBe(statSync(join(folder, 'other')).mode);
});

const reason = whyNoSmallDisk();
// Vitest tells the reason of a skipped test to its verbose reporter only.
if (reason !== undefined) console.warn(`Skipped: ${reason}`);

it.skipIf(reason !== undefined)(
  'a full disk leaves each file whole, as it was or new, and the next time goes on',
  () => {
    const disk = new SmallDisk();
    try {
      folder = join(disk.folder, 'monitoring');
      writeAssets(folder, false);
      for (const path of filesIn(SHIPPED)) age(path);
      disk.fill('filler');
      expect(() => writeAssets(folder, false)).toThrow(
        /^.*\/dashboards\/paperclip-\w+\.json cannot be written: ENOSPC: no space left on device, /,
      );
      expect(filesIn(folder)).toEqual([RECORD_FILE, ...filesIn(SHIPPED)].sort());
      for (const path of filesIn(SHIPPED)) expect(['old', shipped(path)]).toContain(read(path));
      rmSync(join(disk.folder, 'filler'));
      expect(writeAssets(folder, false).changed).toEqual([]);
      for (const path of filesIn(SHIPPED)) expect(read(path)).toBe(shipped(path));
    } finally {
      disk.remove();
    }
  },
);
