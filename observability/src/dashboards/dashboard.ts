/** What the three dashboards have in common: variables, annotations, links to each other, rows of panels. */
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import {
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
} from '../../../src/semconv.js';
import { INSTANCE, JOB, labelName, SERVICE_VERSION, TARGET_INFO } from '../names.js';
import { aggregate, matches, selectCount } from '../promql.js';
import { SOURCE } from './panel.js';
import { ON_INSTANCE, ON_JOB, VARIABLES } from './queries.js';
import { versions } from './versions.js';

/** Dashboards of this version load in Grafana 11; later ones bring them up to date as they load them. */
const SCHEMA_VERSION = 39;
const TAG = 'paperclip';
/** Shortest step of annotations. */
const MARK_STEP = '60s';
/** The step that Grafana takes, which is longer the longer the time shown is. */
const INTERVAL = '$__interval';
/** What was seen within this time before is not new: scrapes fail now and then. */
const BEFORE = '5m';

export interface Section {
  readonly title: string;
  readonly panels: readonly Builder<Panel>[];
}

export interface DashboardSpec {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly sections: readonly Section[];
}

const OPERATIONS = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, [ON_JOB, ON_INSTANCE]);

function values(name: string, label: string, attribute: string, matchers: readonly string[]) {
  const series = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, matchers);
  const definition = `label_values(${series}, ${labelName(attribute)})`;
  return (
    new QueryVariableBuilder(name)
      .label(label)
      .datasource(SOURCE)
      .definition(definition)
      // As Grafana's own editor stores it: a query of the kind "label values".
      .query({ qryType: 1, query: definition, refId: `PrometheusVariableQueryEditor-${name}` })
      .refresh(VariableRefresh.OnTimeRangeChanged)
      .sort(VariableSort.AlphabeticalAsc)
  );
}

function choice(name: string, label: string, attribute: string, matchers: readonly string[]) {
  return (
    values(name, label, attribute, matchers)
      .multi(true)
      .includeAll(true)
      // Also what has no such label: a local environment has no provider.
      .allValue('.*')
      .current({ selected: true, text: ['All'], value: ['$__all'] })
  );
}

const variables = () => [
  new DatasourceVariableBuilder(VARIABLES.datasource).label('Metrics').type('prometheus'),
  choice(VARIABLES.job, 'Service', JOB, []),
  choice(VARIABLES.instance, 'Server', INSTANCE, [ON_JOB]),
  choice(VARIABLES.provider, 'Provider', ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, [
    ON_JOB,
    ON_INSTANCE,
    matches(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, '.+'),
  ]),
  new DatasourceVariableBuilder(VARIABLES.traces).label('Traces').type('jaeger'),
  // Jaeger searches one service. Over OTLP the job is its name; where servers are scraped it may be another, to be typed in.
  values(VARIABLES.service, 'Service in traces', JOB, [ON_JOB]).description(
    'service.name of the Paperclip servers, for links to their traces',
  ),
];

interface Mark {
  readonly name: string;
  readonly isShown: boolean;
  readonly color: string;
  readonly title: string;
  readonly text: string;
  readonly expr: string;
}

function annotation({ name, isShown, color, title, text, expr }: Mark) {
  return new AnnotationQueryBuilder()
    .name(name)
    .enable(isShown)
    .iconColor(color)
    .datasource(SOURCE)
    .titleFormat(title)
    .textFormat(text)
    .target(new DataqueryBuilder().refId('Anno').expr(expr).interval(MARK_STEP).range());
}

/**
 * Deployments show as another `service.version`, and restarts as another server or as counters that begin anew. Each holds for one
 * step, so that it is a line and hides nothing.
 */
const annotations = () => {
  const versionsBefore = `last_over_time(${TARGET_INFO}[${BEFORE}] offset ${INTERVAL})`;
  const serversBefore = `last_over_time(${OPERATIONS}[${BEFORE}] offset ${INTERVAL})`;
  const restarts = (offset: string) => `resets(${OPERATIONS}[${BEFORE}]${offset}) > 0`;
  return [
    annotation({
      name: 'Deployments',
      isShown: true,
      color: 'purple',
      title: 'Deployment',
      text: `{{${JOB}}} {{${SERVICE_VERSION}}}`,
      expr: `${aggregate('group', versions(), [JOB, SERVICE_VERSION])} unless ${aggregate('group', versionsBefore, [JOB, SERVICE_VERSION])}`,
    }),
    annotation({
      name: 'Starts',
      isShown: false,
      color: 'blue',
      title: 'Servers started',
      text: `{{${JOB}}}`,
      expr: aggregate(
        'group',
        `(${OPERATIONS} unless on (${JOB}, ${INSTANCE}) ${serversBefore}) or (${restarts('')} unless ${restarts(` offset ${INTERVAL}`)})`,
        [JOB],
      ),
    }),
  ];
};

export function dashboard({ uid, title, description, sections }: DashboardSpec): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags([TAG, 'opentelemetry'])
    .timezone('browser')
    .time({ from: 'now-6h', to: 'now' })
    .refresh('1m')
    .editable()
    .tooltip(DashboardCursorSync.Crosshair)
    .variables(variables())
    .annotations(annotations())
    .link(
      new DashboardLinkBuilder('Paperclip')
        .type(DashboardLinkType.Dashboards)
        .tags([TAG])
        .includeVars(true)
        .keepTime(true),
    );
  for (const section of sections) {
    builder.withRow(new RowBuilder(section.title));
    for (const panel of section.panels) builder.withPanel(panel);
  }
  const built = builder.build();
  for (const [index, panel] of (built.panels ?? []).entries()) panel.id = index + 1;
  for (const annotation of built.annotations?.list ?? []) {
    // Where the Prometheus source of Grafana before 12.0.1 looks for the query.
    const { expr } = annotation.target as unknown as { expr: string };
    Object.assign(annotation, { expr, step: MARK_STEP });
  }
  // The builders put these into a menu where newer versions of Grafana have one; they are to be seen.
  for (const shown of [...(built.links ?? []), ...(built.annotations?.list ?? [])]) delete shown.placement;
  return { ...built, schemaVersion: SCHEMA_VERSION };
}
