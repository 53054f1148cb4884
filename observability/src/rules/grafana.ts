/** The same alerts as rules that Grafana itself evaluates, from what Prometheus' rules record. */
import { stringify } from 'yaml';
import { dashboard } from '../dashboards/dashboard.js';
import { DASHBOARDS } from '../dashboards/index.js';
import type { Timing } from '../limits.js';
import { labelName } from '../names.js';
import { duration } from '../promql.js';
import { ALERTS } from './index.js';
import { annotations } from './prometheus.js';
import type { Alert, Words } from './rule.js';

/** The data source that the rules query; provisioned rules cannot have a variable for it. */
export const DATASOURCE_UID = 'prometheus';
export const FOLDER = 'Paperclip';

const FORMATS = {
  percentage: 'humanizePercentage',
  count: 'printf "%.0f"',
  age: 'humanizeDuration',
} as const;
const QUERY = 'A';
const CONDITION = 'B';

/** Texts as templates of Grafana, which has a value for each query. */
const TEMPLATES: Words = {
  value: (as) => `{{ $values.${QUERY}.Value | ${FORMATS[as]} }}`,
  label: (name, otherwise) => `{{ or $labels.${labelName(name)} "${otherwise}" }}`,
  counts: ({ things }) => `${TEMPLATES.value('percentage')} of the ${things}`,
  most: () => '',
};

/** Where Grafana shows an alert. */
function shownOn({ name, panel: { dashboard: uid, title } }: Alert) {
  const spec = DASHBOARDS.find((each) => each.uid === uid);
  const panel = spec && dashboard(spec).panels?.find((each) => each.title === title);
  if (!panel) throw new Error(`the alert ${name} is for a panel "${title}" that ${uid} does not have`);
  return { __dashboardUid__: uid, __panelId__: String(panel.id) };
}

function rule(alert: Alert) {
  const relativeTimeRange = { from: 600, to: 0 };
  return {
    uid: alert.name,
    title: alert.name,
    condition: CONDITION,
    data: [
      {
        refId: QUERY,
        relativeTimeRange,
        datasourceUid: DATASOURCE_UID,
        model: {
          refId: QUERY,
          expr: alert.expr,
          instant: true,
          range: false,
          editorMode: 'code',
        },
      },
      {
        refId: CONDITION,
        relativeTimeRange,
        datasourceUid: '__expr__',
        model: {
          refId: CONDITION,
          type: 'threshold',
          expression: QUERY,
          conditions: [{ evaluator: { type: 'gt', params: [0] } }],
        },
      },
    ],
    // The expressions have no series where all is well.
    noDataState: 'OK',
    execErrState: 'Error',
    for: duration(alert.hold),
    annotations: { ...annotations(alert, TEMPLATES), ...shownOn(alert) },
    labels: { severity: alert.severity },
  };
}

export function grafanaAlerting(timing: Timing): string {
  const group = {
    orgId: 1,
    name: 'paperclip',
    folder: FOLDER,
    interval: duration(timing.interval),
    rules: ALERTS.map((create) => rule(create(timing))),
  };
  return stringify({ apiVersion: 1, groups: [group] }, { lineWidth: 0, aliasDuplicateObjects: false });
}
