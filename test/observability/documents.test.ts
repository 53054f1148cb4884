import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TIMING } from '../../observability/src/limits.js';
import * as leases from '../../observability/src/rules/leases.js';
import * as semconv from '../../src/semconv.js';
import { BUILT_DASHBOARDS, METRICS, PANELS, RULES } from './support.js';

const WHAT_SHOWS_WHAT = 'docs/what-shows-what.md';
const PAGES = [
  ...readdirSync('docs/runbooks').map((name) => join('docs/runbooks', name)),
  'examples/stack/README.md',
  WHAT_SHOWS_WHAT,
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

describe(WHAT_SHOWS_WHAT, () => {
  const page = readFileSync(WHAT_SHOWS_WHAT, 'utf8');

  it('names each alert about leases, and none that does not exist', () => {
    const named = new Set(page.match(/Paperclip[A-Z]\w+/g));
    const about = Object.values(leases).flatMap((make) =>
      typeof make === 'function' ? [make(TIMING).name] : [],
    );
    expect([...named].sort()).toEqual([...about].sort());
    expect(RULES.map(({ alert }) => alert)).toEqual(expect.arrayContaining(about));
  });

  it('names metrics and attributes that exist', () => {
    const names = new Set<unknown>([...METRICS.map(({ name }) => name), ...Object.values(semconv)]);
    const named = page.match(/`paperclip\.[\w.]+`/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !names.has(name.slice(1, -1)))).toEqual([]);
  });
});
