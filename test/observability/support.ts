import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { parse } from 'yaml';
import { dashboard } from '../../observability/src/dashboards/dashboard.js';
import { DASHBOARDS } from '../../observability/src/dashboards/index.js';
import { TIMING } from '../../observability/src/limits.js';
import { namePattern } from '../../observability/src/names.js';
import { prometheusRules } from '../../observability/src/rules/prometheus.js';
import { METRICS } from '../../src/cli/naming/names.js';
import type * as semconv from '../../src/semconv.js';

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const BUILT_DASHBOARDS = DASHBOARDS.map(dashboard);

/** Panels that show something; rows only head them. */
export const PANELS = BUILT_DASHBOARDS.flatMap(({ title, panels = [] }) =>
  panels
    .filter((panel): panel is Panel => panel.type !== 'row')
    .map((panel) => ({ dashboard: title, panel })),
);

export const RULES: readonly Rule[] = parse(prometheusRules(TIMING)).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

export { METRICS };

/** A pattern for each series that a metric becomes. */
export function patternsOf(metric: semconv.MetricDefinition): string[] {
  const parts = ['bucket', 'count', 'sum'] as const;
  return metric.instrument === 'histogram'
    ? parts.map((part) => namePattern(metric, part))
    : [namePattern(metric)];
}

/** Every expression that a panel, an annotation or a rule evaluates. */
export function expressions(): string[] {
  const targets = [
    ...PANELS.flatMap(({ panel }) => panel.targets ?? []),
    ...BUILT_DASHBOARDS.flatMap(({ annotations }) => annotations?.list?.map(({ target }) => target) ?? []),
  ];
  return [
    ...targets.map((target) => (target as unknown as { expr: string }).expr),
    ...RULES.map(({ expr }) => expr),
  ];
}
