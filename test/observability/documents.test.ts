import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as limits from '../../observability/src/limits.js';
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

const { spike, metadata, usual, shares } = limits.TIMING;
const minutes = (seconds: number) => `${seconds / 60} minutes`;
const percent = (share: number) => `${Math.round(share * 100)}%`;

it.each([
  ['unsupported-operations-spike', `at least ${limits.SPIKE_MIN_ERRORS} in ${minutes(spike.window)}`],
  ['unsupported-operations-spike', `more than ${limits.SPIKE_FACTOR} times as many`],
  ['unsupported-operations-spike', `watched for ${minutes(spike.window + usual.before)}`],
  ['high-fallback-rate', `certainly more than ${percent(limits.FALLBACK_RATE.high)}`],
  ['high-fallback-rate', `at least ${limits.SHARE_MIN_EVENTS} within an hour, 6 hours or 3 days`],
  ['high-fallback-rate', `at least ${limits.SUDDEN_MIN_EVENTS} within ${minutes(shares.sudden)}`],
  ['low-reacquire-success', `cure it, ${percent(limits.REACQUIRE_OBJECTIVE)} of the time`],
  ['low-reacquire-success', `certainly less than ${percent(limits.REACQUIRE_NOTABLE)}`],
  ['low-reacquire-success', `certainly less than ${percent(limits.REACQUIRE_LOW)}`],
  ['low-reacquire-success', `at least ${limits.SHARE_MIN_EVENTS} that somebody tried`],
  [
    'missing-metadata-after-deployment',
    `at least ${limits.MISSING_METADATA_MIN_ERRORS} operations in ${minutes(metadata.window)}`,
  ],
  ['missing-metadata-after-deployment', `more than ${limits.SPIKE_FACTOR} times as many`],
  ['missing-metadata-after-deployment', `less than ${minutes(metadata.window + usual.before)}`],
  ['duplex-channels-lost', `Certainly more than ${percent(limits.LOSS_RATE)} of the duplex channels`],
  ['instrumentation-silent', `at least ${limits.SILENCE_MIN_OPERATIONS} lease operations`],
])('the runbook %s says when its alert fires: %s', (page, text) => {
  expect(shares.busy.long).toBe(3600);
  expect(readFileSync(`docs/runbooks/${page}.md`, 'utf8').replaceAll(/\s+/g, ' ')).toContain(text);
});

it('the list of runbooks has every alert with its severity', () => {
  const rules = readFileSync('observability/generated/prometheus/paperclip.rules.yml', 'utf8');
  const alerts = [...rules.matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g)].map(([, name, level]) => [
    name,
    level,
  ]);
  const listed = readFileSync('docs/runbooks/README.md', 'utf8').matchAll(
    /^\| \[(\w+)\]\(\S+\) \| (\w+) \|/gm,
  );
  expect([...listed].map(([, name, level]) => [name, level])).toEqual(alerts);
});

describe(WHAT_SHOWS_WHAT, () => {
  const page = readFileSync(WHAT_SHOWS_WHAT, 'utf8');

  it('names each alert about leases, and none that does not exist', () => {
    const named = new Set(page.match(/Paperclip[A-Z]\w+/g));
    const about = Object.values(leases).flatMap((make) =>
      typeof make === 'function' ? [make(limits.TIMING).name] : [],
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
