import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TIMING } from '../../observability/src/limits.js';
import { grafanaAlerting } from '../../observability/src/rules/grafana.js';
import { prometheusRules } from '../../observability/src/rules/prometheus.js';
import { BUILT_DASHBOARDS, RULES } from './support.js';

const ALERTS = RULES.filter(({ alert }) => alert !== undefined);

interface GrafanaRule {
  uid: string;
  title: string;
  condition: string;
  for: string;
  data: { refId: string; model: { expr?: string; expression?: string } }[];
  annotations: Record<string, string>;
  labels: Record<string, string>;
}

const GRAFANA: GrafanaRule[] = parse(grafanaAlerting(TIMING)).groups.flatMap(
  (group: { rules: GrafanaRule[] }) => group.rules,
);

describe.each(ALERTS)('$alert', ({ alert, expr, labels, annotations = {} }) => {
  /** A text without what Prometheus puts in. */
  const written = (text = '') => text.replaceAll(/\{\{.*?\}\}/g, '');

  it('has a severity, and texts that a person understands', () => {
    expect(labels?.severity).toMatch(/^(critical|warning)$/);
    expect(annotations.summary).toMatch(/^.{30,}/);
    expect(written(annotations.description)).toMatch(/^.{80,}\.$/s);
  });

  it('has a page that says how to confirm it, what it usually is and what to do', () => {
    expect(annotations.runbook_url).toMatch(/^https:\/\/.+\/docs\/runbooks\/[a-z-]+\.md$/);
    const page = `docs/runbooks/${annotations.runbook_url?.split('/').pop()}`;
    expect(existsSync(page)).toBe(true);
    const text = readFileSync(page, 'utf8');
    expect(text).toMatch(new RegExp(`^# .*\\b${alert}\\b`));
    for (const heading of ['Confirm', 'What it usually is', 'Do'])
      expect(text).toContain(`\n## ${heading}\n`);
  });

  it('names the service in its summary, and no other alert says the same', () => {
    expect(annotations.summary).toContain('$labels.job');
    const same = ALERTS.filter((other) => other.annotations?.summary === annotations.summary);
    expect(same.map((other) => other.alert)).toEqual([alert]);
  });

  it('says durations in words', () => {
    for (const text of [annotations.summary, annotations.description])
      expect(written(text)).not.toMatch(/\b\d+[smhd]\b/);
  });

  it('is the same alert in Grafana', () => {
    const rule = GRAFANA.find(({ title }) => title === alert);
    expect(rule?.labels).toEqual(labels);
    expect(rule?.annotations.runbook_url).toBe(annotations.runbook_url);
    expect(rule?.data[0]?.model.expr).toBe(expr);
  });

  it('leads to a dashboard, and to the panel of it that shows what it is about', () => {
    const { __dashboardUid__: uid, __panelId__: id } =
      GRAFANA.find(({ title }) => title === alert)?.annotations ?? {};
    const panels = BUILT_DASHBOARDS.find((dashboard) => dashboard.uid === uid)?.panels;
    expect(panels?.find((panel) => String(panel.id) === id)?.type).not.toBe('row');
    expect(panels?.map((panel) => String(panel.id))).toContain(id);
    expect(annotations.dashboard).toMatch(new RegExp(`^/d/${uid}\\?var-provider=`));
  });
});

it('no group has more rules than Mimir takes', () => {
  const groups: { rules: object[] }[] = parse(prometheusRules(TIMING)).groups;
  expect(Math.max(...groups.map(({ rules }) => rules.length))).toBeLessThanOrEqual(20);
});

it('Grafana accepts the ids, and replaces nothing in the texts', () => {
  for (const { uid, annotations, labels } of GRAFANA) {
    expect(uid.length).toBeLessThanOrEqual(40);
    // In labels every variable is taken for one of the environment, in annotations those in braces.
    expect(JSON.stringify(labels)).not.toContain('$');
    expect(JSON.stringify(annotations)).not.toContain('$' + '{');
  }
  expect(GRAFANA.map(({ title }) => title)).toEqual(ALERTS.map(({ alert }) => alert));
});
