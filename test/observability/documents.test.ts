import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BUILT_DASHBOARDS, PANELS } from './support.js';

const PAGES = [
  ...readdirSync('docs/runbooks').map((name) => join('docs/runbooks', name)),
  'examples/stack/README.md',
];
const HEADINGS = [...readFileSync('README.md', 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
const TITLES = new Set([
  ...BUILT_DASHBOARDS.map(({ title }) => title),
  ...PANELS.map(({ panel }) => panel.title),
  ...HEADINGS,
]);

it.each(PAGES)('%s names dashboards, panels and headings as they are', (page) => {
  // Names are in italics and begin with a capital letter.
  const named = [...readFileSync(page, 'utf8').matchAll(/(?<!\*)\*([A-Z][^*\n]*)\*(?!\*)/g)].map(
    ([, name]) => name,
  );
  expect(named.filter((name) => !TITLES.has(name))).toEqual([]);
});
