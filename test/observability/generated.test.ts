import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { files } from '../../observability/src/files.js';
import { labelName } from '../../observability/src/names.js';
import * as semconv from '../../src/semconv.js';
import { BUILT_DASHBOARDS, expressions, METRICS, PANELS, patternsOf, RULES } from './support.js';

it('the generated files are up to date: npm run observability', () => {
  const written = ['generated', 'tests'].flatMap((folder) =>
    readdirSync(join('observability', folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).replace('observability/', '')),
  );
  const contents = written.map((path) => [path, readFileSync(join('observability', path), 'utf8')] as const);
  expect(Object.fromEntries(contents)).toEqual(Object.fromEntries(files()));
});

it('each metric of the conventions is used by a panel or a rule', () => {
  const all = expressions();
  const unused = METRICS.filter(
    (metric) => !patternsOf(metric).some((pattern) => all.some((expr) => expr.includes(pattern))),
  );
  expect(unused.map(({ name }) => name)).toEqual([]);
});

it('each name in an expression is a metric or an attribute of the conventions, or a recording', () => {
  const attributes = Object.entries(semconv).flatMap(([key, value]) =>
    key.startsWith('ATTR_') ? [labelName(value as string)] : [],
  );
  const metrics = METRICS.flatMap(patternsOf);
  const recordings = RULES.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const known = new Set([...attributes, ...metrics, ...recordings]);
  const used = expressions().flatMap((expr) => expr.match(/[\w:]*paperclip_\w+(\(\w+\)\?\w*)*[\w:]*/g) ?? []);
  expect(used.length).toBeGreaterThan(100);
  expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
});

it('each recording that an alert refers to is recorded', () => {
  const recordings = new Set(RULES.map(({ record }) => record));
  const used = RULES.flatMap(({ expr }) => expr.match(/\w+:\w+:\w+/g) ?? []);
  expect(used.filter((name) => !recordings.has(name))).toEqual([]);
});

it.each(PANELS)('$dashboard / $panel.title says what a bad value means, and has a unit', ({ panel }) => {
  expect(panel.description).toMatch(/^.{40,}\.$/s);
  expect(panel.fieldConfig?.defaults?.unit).toBeTruthy();
  expect(panel.fieldConfig?.defaults?.thresholds?.steps?.length).toBeGreaterThan(0);
});

it.each(PANELS)('$dashboard / $panel.title asks the chosen source about what is chosen', ({ panel }) => {
  expect(panel.datasource?.uid).toBe('$' + '{datasource}');
  for (const target of panel.targets ?? []) {
    const { expr } = target as unknown as { expr: string };
    expect(expr).toContain('job=~"$job"');
    if (expr.includes('instance=~"$instance"')) continue;
    expect(panel.description).toContain('whichever are chosen above');
  }
});

it('panels over time read nothing but recordings and gauges', () => {
  const counters = METRICS.filter(({ instrument }) => instrument === 'counter' || instrument === 'histogram');
  const patterns = counters.flatMap(patternsOf);
  const read = PANELS.flatMap(({ panel }) =>
    (panel.targets as unknown as { expr: string; range?: boolean }[]).flatMap(({ expr, range }) =>
      range && patterns.some((pattern) => expr.includes(`"${pattern}"`)) ? [panel.title] : [],
    ),
  );
  expect(read).toEqual([]);
});

it('panels lead to traces by tags of the conventions', () => {
  const links = PANELS.flatMap(({ panel }) => [
    ...(panel.fieldConfig?.defaults?.links ?? []),
    ...(panel.fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
      properties.flatMap(({ id, value }) => (id === 'links' ? (value as { url: string }[]) : [])),
    ),
  ]);
  expect(links.length).toBeGreaterThan(5);
  const attributes = new Set<unknown>(Object.values(semconv));
  for (const { title, url } of links as { title: string; url: string }[]) {
    if (title !== 'Traces') continue;
    const panes = JSON.parse(new URL(url, 'http://grafana').searchParams.get('panes') ?? '');
    const [query] = panes.traces.queries;
    expect(query).toMatchObject({ queryType: 'search', datasource: { type: 'jaeger' } });
    const tags = (query.tags as string).split(' ').map((tag) => tag.split('=')[0]);
    expect(tags.filter((tag) => !attributes.has(tag))).toEqual([]);
  }
});

it.each(BUILT_DASHBOARDS)('$title loads in Grafana 11 and has what the others have', (built) => {
  expect(built.schemaVersion).toBeLessThanOrEqual(39);
  expect(built.templating?.list?.map(({ name }) => name)).toEqual([
    'datasource',
    'job',
    'instance',
    'provider',
    'traces',
    'service',
  ]);
  expect(built.annotations?.list?.map(({ name }) => name)).toEqual(['Deployments', 'Starts']);
  // With many servers one starts all the time.
  expect(built.annotations?.list?.map(({ enable }) => enable)).toEqual([true, false]);
  for (const annotation of built.annotations?.list ?? []) {
    // The one for Grafana before 12.0.1, the other since.
    const { expr } = annotation.target as unknown as { expr: string };
    expect(expr).toContain('unless');
    expect(annotation).toMatchObject({ expr, step: '60s', target: { expr, interval: '60s' } });
  }
  const ids = built.panels?.map(({ id }) => id) ?? [];
  expect(new Set(ids).size).toBe(ids.length);
});
