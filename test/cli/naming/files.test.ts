/** Every file that is shipped, in every naming. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { translateFile } from '../../../src/cli/naming/files.js';
import { ATTRIBUTES_BY_LABEL, NAMINGS } from '../../../src/cli/naming/names.js';
import { type Target, translate } from '../../../src/cli/naming/promql.js';

const SHIPPED = 'observability/generated';
const FILES = readdirSync(SHIPPED, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ya?ml|json|sql)$/.test(path))
  .map((path) => [path, readFileSync(join(SHIPPED, path), 'utf8')] as const);
/** What asks Prometheus. */
const QUERYING = FILES.filter(([, text]) => text.includes('expr'));

const TARGETS: readonly Target[] = NAMINGS.flatMap((naming) =>
  [false, true].map((hasNativeHistograms) => ({ naming, hasNativeHistograms })),
);

/** Labels that are called otherwise with dots, other than in longer words. */
const LABELS = new RegExp(
  `(?<![\\w.:])(${[...ATTRIBUTES_BY_LABEL].flatMap(([label, name]) => (label === name ? [] : label)).join('|')})(?![\\w:])`,
  'g',
);
/** Names of metrics with underscores; those of recordings have colons. */
const METRICS = /(?<![\w:])paperclip_\w+(?![\w:])/g;
/** Series that native histograms do not have, other than recordings, and the label of buckets. */
const CLASSIC = /(?<![\w:])paperclip[\w.()?]*_(bucket|count|sum)\b|(?<=[ ({])le(?=[,=)}])/g;

/** Values of a structure by their path. */
function valuesOf(value: unknown, path = ''): [path: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => valuesOf(inner, `${path}/${key}`));
}

describe.each(TARGETS)('$naming, native histograms: $hasNativeHistograms', (target) => {
  it.each(QUERYING)('%s has no name of the default', (path, text) => {
    const translated = translateFile(path, text, target);
    const found = [
      ...(target.naming === 'underscores' ? [] : [LABELS, METRICS]),
      ...(target.hasNativeHistograms ? [CLASSIC] : []),
    ].flatMap((names) => translated.match(names) ?? []);
    expect([...new Set(found)]).toEqual([]);
  });

  it.each(QUERYING.filter(([path]) => path.endsWith('.yml')))('%s says the same else', (path, text) => {
    const before = valuesOf(parse(text));
    const after = valuesOf(parse(translateFile(path, text, target)));
    expect(after.map(([at]) => at)).toEqual(before.map(([at]) => at));
    for (const [index, [at, value]] of before.entries()) {
      const [, translated] = after[index] ?? [];
      if (at.endsWith('/expr')) expect(translated).toBe(translate(value as string, target));
      else if (!/\/(summary|description|dashboard)$/.test(at)) expect(translated).toBe(value);
    }
  });
});

it('what the text of an alert looks up is asked for by its names with dots', () => {
  const text =
    '  description: \'{{ with printf `topk(1, x:y:z{a_b=%[1]q})` $labels.job | query }}{{ . | first | label "error_type" }}{{ end }}\'';
  const [label = '', attribute = ''] =
    [...ATTRIBUTES_BY_LABEL].find(([name, dotted]) => name !== dotted) ?? [];
  const translated = translateFile('rules.yml', text.replace('a_b', label), {
    naming: 'NoTranslation',
    hasNativeHistograms: false,
  });
  expect(translated).toBe(text.replace('a_b', `"${attribute}"`).replace('error_type', 'error.type'));
});

it.each(FILES)('%s is as it is shipped, by default', (path, text) => {
  expect(translateFile(path, text, { naming: 'underscores', hasNativeHistograms: false })).toBe(text);
});

describe('a dashboard', () => {
  const target: Target = { naming: 'NoTranslation', hasNativeHistograms: true };
  const translated = (panel: object) =>
    JSON.parse(translateFile('dashboards/a.json', JSON.stringify(panel), target));

  it('has the labels in its legends, tables and links', () => {
    const before = {
      legendFormat: '{{error_type}} {{job}}',
      options: 'error_type',
      indexByName: { error_type: 0, Value: 1 },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana fills this in.
      url: '/explore?${__field.labels.error_type}%20${__data.fields.error_type}%20${__data.fields.job}',
      title: 'Errors by error_type',
    };
    expect(translated(before)).toEqual({
      legendFormat: '{{error.type}} {{job}}',
      options: 'error.type',
      indexByName: { 'error.type': 0, Value: 1 },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana fills this in.
      url: '/explore?${__field.labels["error.type"]}%20${__data.fields["error.type"]}%20${__data.fields.job}',
      title: 'Errors by error_type',
    });
  });

  it('asks for a native histogram as it is, which Grafana draws as a heatmap', () => {
    const expr = 'sum by (le) (increase({__name__=~"paperclip_lease_duration(_seconds)?_bucket"}[5m]))';
    expect(translated({ expr, format: 'heatmap', legendFormat: '{{le}}' })).toEqual({
      expr: 'sum (increase({"paperclip.lease.duration"}[5m]))',
      format: 'time_series',
    });
  });
});

it('the texts of alerts have the labels, as templates of Prometheus and Grafana can ask for them', () => {
  const text = `          summary: '{{ or $labels.error_type "unknown" }} isn''t on {{ or $labels.job "x" }}'\n`;
  expect(translateFile('a.yml', text, { naming: 'NoTranslation', hasNativeHistograms: false })).toBe(
    `          summary: '{{ or (index $labels "error.type") "unknown" }} isn''t on {{ or $labels.job "x" }}'\n`,
  );
});

it('the scrape beside the server gives series and labels the names with dots', () => {
  const path = 'lease-inventory/prometheus.yml';
  const [, text = ''] = FILES.find(([file]) => file === path) ?? [];
  const { scrape_configs } = parse(
    translateFile(path, text, { naming: 'NoUTF8EscapingWithSuffixes', hasNativeHistograms: false }),
  );
  const rules = scrape_configs[0].metric_relabel_configs;
  expect(rules.flatMap((rule: { replacement?: string }) => rule.replacement ?? [])).toEqual([
    'paperclip.lease.held',
    'paperclip.lease.oldest_seconds',
    'paperclip',
    'database',
    'paperclip.lease.status',
    'paperclip.lease.policy',
    'paperclip.environment.driver',
    'paperclip.environment.provider',
    'paperclip.lease.run',
  ]);
});
