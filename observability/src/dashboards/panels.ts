/** The kinds of panel that the dashboards have. */
import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import { FieldColorBuilder, FieldColorModeId, type Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { labelName } from '../names.js';
import { common, type PanelSpec, query } from './panel.js';

/** One number over the whole range. */
export function single(spec: PanelSpec): Builder<Panel> {
  const builder = common(new stat.PanelBuilder(), spec, 4, 'graph')
    .colorMode(spec.limits ? BigValueColorMode.BackgroundSolid : BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .noValue('none')
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']));
  spec.queries.forEach((each, index) => {
    builder.withTarget(query(each, index).instant());
  });
  return builder;
}

/** Lines over time. */
export function lines(spec: PanelSpec): Builder<Panel> {
  return graph(spec, (builder) =>
    builder
      .fillOpacity(5)
      .lineWidth(2)
      .showPoints(VisibilityMode.Auto)
      // Rates have gaps where nothing happened.
      .spanNulls(false),
  );
}

/** Counts over time, one kind upon the other. */
export function bars(spec: PanelSpec): Builder<Panel> {
  return graph(spec, (builder) =>
    builder
      .drawStyle(GraphDrawStyle.Bars)
      .fillOpacity(70)
      .lineWidth(0)
      .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A')),
  );
}

function graph(spec: PanelSpec, style: (builder: timeseries.PanelBuilder) => void): Builder<Panel> {
  const builder = common(new timeseries.PanelBuilder(), spec, 8, 'graph')
    .min(0)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassicByName));
  style(builder);
  if (spec.limits) {
    builder.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  spec.queries.forEach((each, index) => {
    builder.withTarget(query(each, index).range());
  });
  return builder;
}

/** How a histogram's values are spread over time. The query keeps the buckets apart. */
export function spread(spec: PanelSpec): Builder<Panel> {
  const builder = common(new heatmap.PanelBuilder(), spec, 8, 'graph')
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

export interface TableSpec extends PanelSpec {
  /** The attributes or labels that make a row, with the words that head their columns. */
  readonly rows: Readonly<Record<string, string>>;
}

/** Rows by labels, with a column for the value of each query; its legend heads the column. */
export function rows(spec: TableSpec): Builder<Panel> {
  const builder = common(new table.PanelBuilder(), spec, 8, 'table').filterable(true);
  spec.queries.forEach(({ expr }, index) => {
    builder.withTarget(query({ expr }, index).instant().format(PromQueryFormat.Table));
  });
  const labels = Object.entries(spec.rows).map(([name, title]) => [labelName(name), title] as const);
  // Names stay what they are, so that links find a row's labels; only what is shown is another.
  for (const [name, title] of labels) {
    builder.overrideByName(name, [
      { id: 'displayName', value: title },
      { id: 'unit', value: 'string' },
    ]);
  }
  const values = spec.queries.map(({ legend = 'Value', unit }, index) => {
    const name = spec.queries.length === 1 ? 'Value' : `Value #${query({ expr: '' }, index).build().refId}`;
    builder.overrideByName(name, [
      { id: 'displayName', value: legend },
      ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
    ]);
    return name;
  });
  const indexByName = Object.fromEntries(
    [...labels.map(([name]) => name), ...values].map((name, i) => [name, i]),
  );
  return builder.withTransformation({ id: 'merge', options: {} }).withTransformation({
    id: 'organize',
    options: { excludeByName: { Time: true }, indexByName, renameByName: {} },
  });
}
