/** The rules as a file for Prometheus, Mimir and VictoriaMetrics. */
import { stringify } from 'yaml';
import type { Timing } from '../limits.js';
import { runbookUrl } from '../links.js';
import { labelName } from '../names.js';
import { duration } from '../promql.js';
import { ALERTS } from './index.js';
import { recordings, SLOW_GROUP } from './recordings.js';
import type { Alert, Words } from './rule.js';

const FORMATS = {
  percentage: 'humanizePercentage',
  count: 'printf "%.0f"',
  age: 'humanizeDuration',
} as const;

/** Texts as templates of Prometheus. */
const TEMPLATES: Words = {
  value: (as) => `{{ $value | ${FORMATS[as]} }}`,
  label: (name, otherwise) => `{{ or $labels.${labelName(name)} "${otherwise}" }}`,
};

export function annotations(alert: Alert, words: Words): Record<string, string> {
  return {
    summary: alert.summary(words),
    description: alert.description(words),
    runbook_url: runbookUrl(alert.runbook),
  };
}

/** The groups of rules, as they stand in a file of rules and in what else has them; alerts refer to recordings. */
export function groups(timing: Timing) {
  const interval = duration(timing.interval);
  const alerts = ALERTS.map((create) => create(timing)).map((alert) => ({
    alert: alert.name,
    expr: alert.expr(({ record }) => record),
    for: duration(alert.hold),
    labels: { severity: alert.severity },
    annotations: annotations(alert, TEMPLATES),
  }));
  return [
    ...Object.entries(recordings(timing)).map(([of, rules]) => ({
      name: `paperclip-${of}`,
      interval: of === SLOW_GROUP ? duration(timing.slowInterval) : interval,
      rules,
    })),
    { name: 'paperclip-alerts', interval, rules: alerts },
  ];
}

export function prometheusRules(timing: Timing): string {
  return stringify({ groups: groups(timing) }, { lineWidth: 0, aliasDuplicateObjects: false });
}
