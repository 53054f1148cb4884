/** The rules as a file for Prometheus, Mimir and VictoriaMetrics. */
import { stringify } from 'yaml';
import { ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER } from '../../../src/semconv.js';
import { VARIABLES } from '../dashboards/queries.js';
import type { Timing } from '../limits.js';
import { runbookUrl } from '../links.js';
import { labelName } from '../names.js';
import { duration } from '../promql.js';
import { ALERTS } from './index.js';
import { recordings } from './recordings.js';
import { type Alert, type LookUp, WINDOW, type Words } from './rule.js';

const FORMATS = {
  percentage: 'humanizePercentage',
  count: 'printf "%.0f"',
  age: 'humanizeDuration',
} as const;

/** An expression about the alert's labels, as a template that asks Prometheus. */
function queried({ labels, expr }: LookUp): string {
  const names = labels.map(labelName);
  const format = expr(names.map((name, index) => `${name}=%[${index + 1}]q`));
  return `printf \`${format}\` ${names.map((name) => `$labels.${name}`).join(' ')} | query`;
}

/** Texts as templates of Prometheus. */
const TEMPLATES: Words = {
  value: (as) => `{{ $value | ${FORMATS[as]} }}`,
  label: (name, otherwise) => `{{ or $labels.${labelName(name)} "${otherwise}" }}`,
  counts: ({ things, failed, all }) =>
    [
      `{{ with ${queried(failed)} }}{{ . | first | value | printf "%.0f" }} of the last`,
      `{{ with ${queried(all)} }}{{ . | first | value | printf "%.0f" }}{{ end }} ${things}`,
      `(within {{ . | first | label "${WINDOW}" }}){{ end }}`,
    ].join(' '),
  most: (label, before, lookUp) =>
    `{{ with ${queried(lookUp)} }} ${before} {{ . | first | label "${labelName(label)}" }}.{{ end }}`,
};

/** The alert's dashboard, below the address of Grafana, with the provider chosen. */
function dashboardLink({ panel }: Alert, words: Words): string {
  const provider = words.label(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, '$__all');
  return `/d/${panel.dashboard}?var-${VARIABLES.provider}=${provider}`;
}

export function annotations(alert: Alert, words: Words): Record<string, string> {
  return {
    summary: alert.summary(words),
    description: alert.description(words),
    runbook_url: runbookUrl(alert.runbook),
    dashboard: dashboardLink(alert, words),
  };
}

/** The groups of rules, as they stand in a file of rules and in what else has them; alerts refer to recordings. */
export function groups(timing: Timing) {
  const interval = duration(timing.interval);
  const alerts = ALERTS.map((create) => create(timing)).map((alert) => ({
    alert: alert.name,
    expr: alert.expr,
    for: duration(alert.hold),
    labels: { severity: alert.severity },
    annotations: annotations(alert, TEMPLATES),
  }));
  return [
    ...Object.entries(recordings(timing)).map(([of, rules]) => ({
      name: `paperclip-${of}`,
      interval,
      rules,
    })),
    { name: 'paperclip-alerts', interval, rules: alerts },
  ];
}

export function prometheusRules(timing: Timing): string {
  return stringify({ groups: groups(timing) }, { lineWidth: 0, aliasDuplicateObjects: false });
}
