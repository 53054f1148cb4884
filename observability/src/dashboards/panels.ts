/** The kinds of panel that the dashboards have. */
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardLinkBuilder,
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  type Panel,
  SpecialValueMatch,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER } from '../../../src/semconv.js';
import { TIMING } from '../limits.js';
import { labelName } from '../names.js';
import { duration } from '../promql.js';
import { type Colors, NEITHER, PROVIDER_COLORS } from './colors.js';
import { common, type PanelSpec, query } from './panel.js';
import { legend } from './queries.js';
import { type Link, type TraceFilter, tracesLink } from './traces.js';

/** The unit of counts that are shown as they are. Prometheus estimates them, with fractions. */
const WHOLE = 'none';

const BY_PROVIDER = legend([ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]);
/** What legends and numbers say of a series. */
const LAST = 'lastNotNull';

/** Else no value at all had the colour of the first threshold, which may be that of the worst. */
const NO_VALUE: ValueMapping = {
  type: MappingType.SpecialValue,
  options: { match: SpecialValueMatch.NullAndNan, result: { text: 'none', color: NEITHER } },
};

function numbers(spec: PanelSpec): stat.PanelBuilder {
  const builder = common(new stat.PanelBuilder(), spec, 5)
    .colorMode(spec.limits ? BigValueColorMode.BackgroundSolid : BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs([LAST]));
  if (spec.unit === WHOLE) builder.decimals(0);
  if (spec.limits) builder.mappings([NO_VALUE]);
  return builder;
}

/** One number: now, or over the whole range. */
export function single(spec: PanelSpec): Builder<Panel> {
  const builder = numbers(spec).graphMode(BigValueGraphMode.None);
  spec.queries.forEach((each, index) => {
    builder.withTarget(query(each, index).instant());
  });
  return builder;
}

/** Numbers side by side: what each series is now, with its way there. */
export function now(spec: PanelSpec): Builder<Panel> {
  const builder = numbers(spec)
    .graphMode(BigValueGraphMode.Area)
    .textMode(BigValueTextMode.ValueAndName)
    .decimals(1)
    .min(0);
  spec.queries.forEach((each, index) => {
    builder.withTarget(query(each, index).range());
  });
  return builder;
}

/** Lines over time. */
export function lines(spec: PanelSpec): Builder<Panel> {
  return graph(spec, [LAST, 'max'], (builder) =>
    builder
      .fillOpacity(5)
      .lineWidth(2)
      .showPoints(VisibilityMode.Auto)
      // Rates have gaps where nothing happened.
      .spanNulls(false),
  );
}

/** Counts over time, one kind upon the other: each bar counts what came since the one before it, so that they add up. */
export function bars(spec: PanelSpec): Builder<Panel> {
  return graph(spec, ['sum'], (builder) =>
    builder
      .drawStyle(GraphDrawStyle.Bars)
      .fillOpacity(70)
      .lineWidth(0)
      .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A')),
  );
}

/** Axes of counts go up to this at least, so that one event does not look like many, and none has an axis, too. */
const SMALL_COUNT = 5;

/** On axes Grafana may shorten counts. */
const isCount = (unit: string) => unit === 'short' || unit === WHOLE;

/** Series that are named after their provider have its colour. */
function colorsOf({ colors, queries }: PanelSpec): Colors {
  const isByProvider = queries.some(({ legend }) => legend === BY_PROVIDER);
  return { ...(isByProvider && PROVIDER_COLORS), ...colors };
}

/** @param calcs what the legend says of each series */
function graph(
  spec: PanelSpec,
  calcs: string[],
  style: (builder: timeseries.PanelBuilder) => void,
): Builder<Panel> {
  const builder = common(new timeseries.PanelBuilder(), spec, 10)
    .min(0)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(calcs),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassicByName));
  style(builder);
  if (isCount(spec.unit)) builder.axisSoftMax(SMALL_COUNT);
  for (const [word, color] of Object.entries(colorsOf(spec))) {
    builder.overrideByRegexp(`/(^| )${word}( |$)/`, [
      { id: 'color', value: { mode: 'fixed', fixedColor: color } },
    ]);
  }
  if (spec.unnamed !== undefined) {
    // As Grafana calls it. By name the rule would hold for every series, since all have that name before their legend.
    builder.overrideByRegexp('/^Value$/', [
      { id: 'displayName', value: spec.unnamed },
      { id: 'color', value: { mode: 'fixed', fixedColor: NEITHER } },
    ]);
  }
  if (spec.limits) {
    builder.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  spec.queries.forEach((each, index) => {
    const target = query(each, index).range();
    builder.withTarget(target);
    if (each.isDashed) {
      const dashed = { id: 'custom.lineStyle', value: { fill: 'dash', dash: [6, 6] } };
      builder.overrideByQuery(target.build().refId ?? '', [dashed]);
    }
  });
  return builder;
}

/** How a histogram's values are spread over time. The query keeps the buckets apart. */
export function spread(spec: PanelSpec): Builder<Panel> {
  const builder = common(new heatmap.PanelBuilder(), spec, 12)
    .interval(duration(TIMING.panels.quantiles))
    .calculate(false)
    .yAxis(new heatmap.YAxisConfigBuilder().unit(spec.unit))
    .color(
      new heatmap.HeatmapColorOptionsBuilder()
        .mode(heatmap.HeatmapColorMode.Scheme)
        .scheme('Oranges')
        .steps(64),
    );
  spec.queries.forEach((each, index) => {
    builder.withTarget(query(each, index).range().format(PromQueryFormat.Heatmap));
  });
  return builder;
}

export interface TableSpec extends Omit<PanelSpec, 'traces' | 'colors' | 'unnamed'> {
  /** The attributes or labels that make a row, with the words that head their columns. */
  readonly rows: Readonly<Record<string, string>>;
  /** The traces that columns lead to, by their attribute. A cell without a value has no link. */
  readonly links?: Readonly<Record<string, TraceFilter>>;
  /** Of columns with long names, in pixels, by their attribute or label. */
  readonly widths?: Readonly<Record<string, number>>;
  /** Other places that columns lead to, by their attribute or label. */
  readonly urls?: Readonly<Record<string, Link>>;
}

/**
 * Columns of labels have at least this width, and those of values this one, in pixels: Grafana's own 150 push the last ones out of
 * small panels.
 */
const COLUMN = 90;
const VALUES = 115;

/** Rows by labels, with a column for the value of each query; its legend heads the column. */
export function rows(spec: TableSpec): Builder<Panel> {
  const builder = common(new table.PanelBuilder(), spec, spec.height ?? 8)
    .filterable(true)
    .minWidth(COLUMN);
  spec.queries.forEach(({ expr }, index) => {
    builder.withTarget(query({ expr }, index).instant().format(PromQueryFormat.Table));
  });
  const labels = Object.entries(spec.rows).map(([name, title]) => [labelName(name), title] as const);
  // Names stay what they are, so that links find a row's labels; only what is shown is another.
  for (const [name, title] of labels) {
    builder.overrideByName(name, [
      { id: 'displayName', value: title },
      { id: 'unit', value: 'string' },
      // A cell without a value stays empty, and leads nowhere.
      { id: 'noValue', value: '' },
    ]);
  }
  for (const [attribute, filter] of Object.entries(spec.links ?? {})) {
    const { title, url } = tracesLink(filter, 'table');
    const link = new DashboardLinkBuilder(title).url(url).targetBlank(true).build();
    builder.overrideByName(labelName(attribute), [{ id: 'links', value: [link] }]);
  }
  for (const [label, { title, url }] of Object.entries(spec.urls ?? {})) {
    const link = new DashboardLinkBuilder(title).url(url).targetBlank(true).build();
    builder.overrideByName(labelName(label), [{ id: 'links', value: [link] }]);
  }
  for (const [label, width] of Object.entries(spec.widths ?? {})) {
    builder.overrideByName(labelName(label), [{ id: 'custom.width', value: width }]);
  }
  const values = spec.queries.map(({ legend = 'Value', unit = spec.unit, width = VALUES }, index) => {
    const name = spec.queries.length === 1 ? 'Value' : `Value #${query({ expr: '' }, index).build().refId}`;
    builder.overrideByName(name, [
      { id: 'displayName', value: legend },
      { id: 'unit', value: unit },
      { id: 'custom.width', value: width },
    ]);
    return name;
  });
  const indexByName = Object.fromEntries(
    [...labels.map(([name]) => name), ...values].map((name, i) => [name, i]),
  );
  const [most] = spec.queries;
  builder.sortBy([new TableSortByFieldStateBuilder().displayName(most?.legend ?? 'Value').desc(true)]);
  builder.withTransformation({ id: 'merge', options: {} }).withTransformation({
    id: 'organize',
    options: { excludeByName: { Time: true }, indexByName, renameByName: {} },
  });
  const { footer: _, ...options } = builder.build().options as table.Options;
  // The builder has an option that Grafana 13 has no more.
  return { build: () => ({ ...builder.build(), options }) };
}
