import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { modelFiles, withTables } from '../../registry/src/files.js';
import { SPAN_ATTRIBUTES } from '../../registry/src/signals.js';
import * as semconv from '../../src/semconv.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../src/version.js';

interface Group {
  readonly id: string;
  readonly type: string;
  readonly attributes: readonly {
    readonly id?: string;
    readonly ref?: string;
    readonly type?: string | { readonly members: readonly { readonly id: string; readonly value: string }[] };
  }[];
}

const MODEL = 'registry/model';
const SCHEMA = z.fromJSONSchema(JSON.parse(readFileSync('registry/schema.json', 'utf8')));
const GROUP_FILES = readdirSync(MODEL).filter((name) => name !== 'manifest.yaml');
const read = (name: string) => parse(readFileSync(join(MODEL, name), 'utf8'));
const GROUPS: readonly Group[] = GROUP_FILES.flatMap((name) => read(name).groups);
const DEFINED = GROUPS.flatMap(({ attributes }) => attributes.flatMap(({ id }) => id ?? []));

const NAMES = Object.entries(semconv).flatMap(([key, value]) =>
  key.startsWith('ATTR_') ? [value as string] : [],
);
const isOurs = (name: string) => name.startsWith('paperclip.');

it('the registry is up to date: npm run registry', () => {
  const written = readdirSync(MODEL).map((name) => [name, readFileSync(join(MODEL, name), 'utf8')] as const);
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(modelFiles()));
});

it('the tables of the conventions are up to date: npm run registry', () => {
  const page = readFileSync('docs/semantic-conventions.md', 'utf8');
  expect(page).toBe(withTables(page));
});

it.each(GROUP_FILES)('%s keeps to the schema', (name) => {
  expect(SCHEMA.safeParse(read(name)).error?.issues ?? []).toEqual([]);
});

it('each attribute of ours is defined once, and no other', () => {
  expect(DEFINED.toSorted()).toEqual(NAMES.filter(isOurs).toSorted());
});

it('each attribute is carried by a signal, and each signal carries what is defined', () => {
  const used = new Set(GROUPS.flatMap(({ attributes }) => attributes.flatMap(({ ref }) => ref ?? [])));
  expect([...used].toSorted()).toEqual(NAMES.toSorted());
  expect(new Set(SPAN_ATTRIBUTES.map(({ name }) => name)).size).toBe(SPAN_ATTRIBUTES.length);
});

it('ids are unique: of groups, and of the values of an attribute', () => {
  const ids = GROUPS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { type } of GROUPS.flatMap(({ attributes }) => attributes)) {
    if (typeof type !== 'object') continue;
    expect(new Set(type.members.map(({ id }) => id)).size).toBe(type.members.length);
  }
});

it('the manifest names this version of the package, and the conventions that it builds on', () => {
  expect(read('manifest.yaml')).toMatchObject({
    schema_url: `https://unpkg.com/${PACKAGE_NAME}/registry/${PACKAGE_VERSION}`,
    dependencies: [
      { schema_url: expect.stringMatching(/^https:\/\/opentelemetry\.io\/schemas\/1\.\d+\.0$/) },
    ],
  });
});
