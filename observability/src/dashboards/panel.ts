/** What all panels have in common: each says what a bad value means, and in which unit it counts. */
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardLinkBuilder,
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { TIMING } from '../limits.js';
import { runbookUrl } from '../links.js';
import { duration } from '../promql.js';
import type { Colors } from './colors.js';
import { ON_INSTANCE, VARIABLES } from './queries.js';
import { type TraceFilter, tracesLink } from './traces.js';

export const SOURCE = { type: 'prometheus', uid: `\${${VARIABLES.datasource}}` };

/** What is recorded for panels counts this long. */
const SHORTEST_STEP = duration(TIMING.panels.step);

export interface Query {
  readonly expr: string;
  /** Name of the series; labels in double braces. */
  readonly legend?: string;
  /** Whether its lines are dashed, where another query has the same colours. */
  readonly isDashed?: boolean;
  /** Of the column of a table, where they are not the panel's. */
  readonly unit?: string;
  readonly width?: number;
}

export interface Limits {
  readonly notable: number;
  readonly high: number;
  /** Whether it is low values that are bad; then `high` is the lowest that is good. */
  readonly isLowBad?: boolean;
}

export interface PanelSpec {
  readonly title: string;
  /** What it shows, and what a bad value means. */
  readonly description: string;
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Of 24 columns. */
  readonly width: number;
  /** In rows of the grid, where it is not that of its kind. */
  readonly height?: number;
  readonly limits?: Limits;
  readonly traces?: TraceFilter;
  /** Colours that mean something; other series get one by their name. */
  readonly colors?: Colors;
  /** What a series is called that has none of the labels in its legend. */
  readonly unnamed?: string;
  /** What stands there where there is nothing to show. */
  readonly empty?: string;
  /** Where the panel shows what an alert is about: the alert's page in `docs/runbooks/`, without the extension. */
  readonly runbook?: string;
}

/** What the builders of all kinds of panel have in common. */
interface CommonBuilder extends Builder<Panel> {
  title(title: string): this;
  description(description: string): this;
  unit(unit: string): this;
  span(width: number): this;
  height(height: number): this;
  interval(interval: string): this;
  noValue(text: string): this;
  datasource(source: typeof SOURCE): this;
  thresholds(thresholds: Builder<{ mode: ThresholdsMode; steps: Threshold[] }>): this;
  dataLinks(links: DashboardLinkBuilder[]): this;
  links(links: DashboardLinkBuilder[]): this;
  withTarget(query: DataqueryBuilder): this;
}

/** What all panels of a kind begin with. @param height of the panel, in rows of the grid */
export function common<B extends CommonBuilder>(builder: B, spec: PanelSpec, height: number) {
  builder
    .title(spec.title)
    .description(describe(spec))
    .unit(spec.unit)
    .span(spec.width)
    .height(spec.height ?? height)
    .interval(SHORTEST_STEP)
    .noValue(spec.empty ?? 'none')
    .datasource(SOURCE);
  builder.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps(spec.limits)));
  if (spec.traces) {
    const { title, url } = tracesLink(spec.traces, 'graph');
    builder.dataLinks([new DashboardLinkBuilder(title).url(url).targetBlank(true)]);
  }
  if (spec.runbook) {
    const link = new DashboardLinkBuilder('Runbook of the alert').url(runbookUrl(spec.runbook));
    builder.links([link.targetBlank(true)]);
  }
  return builder;
}

/** Not everything is kept apart by server. */
function describe({ description, queries }: PanelSpec): string {
  const isOfServer = queries.some(({ expr }) => expr.includes(ON_INSTANCE));
  return isOfServer ? description : `${description} Of all servers, whichever are chosen above.`;
}

function steps(limits: Limits | undefined): Threshold[] {
  // Grafana's first step has no lower bound; its type cannot say so.
  const unbounded = null as unknown as number;
  if (!limits) return [{ value: unbounded, color: 'blue' }];
  const colors = limits.isLowBad ? ['red', 'orange', 'green'] : ['green', 'orange', 'red'];
  const values = [unbounded, limits.notable, limits.high];
  return colors.map((color, index) => ({ color, value: values[index] as number }));
}

export function query({ expr, legend }: Query, index: number): DataqueryBuilder {
  const builder = new DataqueryBuilder()
    .expr(expr)
    .refId(String.fromCharCode('A'.charCodeAt(0) + index))
    .datasource(SOURCE);
  if (legend !== undefined) builder.legendFormat(legend);
  return builder;
}
