/** What fires now, with the page that says what to do about it. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
} from '../../../src/semconv.js';
import { TIMING } from '../limits.js';
import { runbookUrl } from '../links.js';
import { JOB } from '../names.js';
import { aggregate, isOneOf, selectCount } from '../promql.js';
import { ALERTS } from '../rules/index.js';
import { COUNTS, countName } from '../rules/panels.js';
import { rows } from './panels.js';
import { chosenOf, ON_JOB } from './queries.js';

/** Prometheus' own labels and series of alerts. */
const ALERT = 'alertname';
const SEVERITY = 'severity';
const FIRING_NOW = 'ALERTS';
const BEGAN = 'ALERTS_FOR_STATE';
/** Label that the expression adds. */
const RUNBOOK = 'runbook';

const labelled = (expression: string, name: string, value: string) =>
  `label_replace(${expression}, "${name}", "${value}", "", "")`;

/** For how many seconds the alerts of one runbook have fired. */
function firing(runbook: string, names: readonly string[]): string {
  // Alerts about a whole service have no provider, and concern every one.
  const chosen = [isOneOf(ALERT, names), ON_JOB];
  const now = `${FIRING_NOW}{${[...chosen, 'alertstate="firing"'].join(', ')}}`;
  return labelled(
    `time() - (${BEGAN}{${chosen.join(', ')}} and ignoring (alertstate) ${now})`,
    RUNBOOK,
    runbook,
  );
}

/** Panels and alerts are empty where nobody has loaded the rules, which looks as if all were well. */
function notLoaded(): string {
  const operations = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, chosenOf([]));
  const recorded = countName(COUNTS.operations, TIMING.panels.step);
  const missing = `${aggregate('group', `${operations} offset 10m`)} unless ${aggregate('group', recorded)}`;
  return labelled(
    labelled(`0 * ${missing}`, ALERT, 'Prometheus has not loaded paperclip.rules.yml'),
    RUNBOOK,
    'README',
  );
}

const alerts = ALERTS.map((create) => create(TIMING));
const runbooks = [...new Set(alerts.map(({ runbook }) => runbook))];

const ROWS = {
  [SEVERITY]: 'Severity',
  [ALERT]: 'Alert',
  [JOB]: 'Service',
  [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'Provider',
  [RUNBOOK]: 'What to do',
};

export const FIRING = rows({
  title: 'What fires now',
  description:
    'Alerts of these rules, as Prometheus evaluates them, and since when their condition holds. Any: its runbook says how to confirm it and what to do. Alerts that Grafana evaluates are on its page Alerting instead.',
  unit: 's',
  width: 24,
  height: 6,
  widths: { [ALERT]: 310, [RUNBOOK]: 290 },
  empty: 'Nothing fires.',
  rows: ROWS,
  urls: { [RUNBOOK]: { title: 'Runbook', url: runbookUrl(`\${__data.fields.${RUNBOOK}}`) } },
  queries: [
    {
      expr: aggregate(
        'max',
        [
          ...runbooks.map((runbook) =>
            firing(
              runbook,
              alerts.filter((alert) => alert.runbook === runbook).map(({ name }) => name),
            ),
          ),
          notLoaded(),
        ].join(' or '),
        Object.keys(ROWS),
      ),
      legend: 'For',
    },
  ],
});
