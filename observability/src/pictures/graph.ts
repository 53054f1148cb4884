/** Panels with a graph: from what the dashboard says about it to what ECharts draws. */
import type { Panel, Threshold } from '@grafana/grafana-foundation-sdk/dashboard';
import { type EChartsOption, init, type SeriesOption } from 'echarts';
import { legend } from './legend.js';
import type { Range, Series } from './measured.js';
import { element, text } from './svg.js';
import { FONT, type Palette, type Theme } from './theme.js';
import { formatOf } from './units.js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What the kind of panel `timeseries` has in its field configuration, as far as the dashboards use it. */
interface GraphStyle {
  readonly drawStyle?: 'bars' | 'line';
  readonly fillOpacity?: number;
  readonly lineWidth?: number;
  readonly stacking?: { readonly mode?: string };
  readonly thresholdsStyle?: { readonly mode?: string };
}

const LETTERS = 10.5;
const MINUTE_MS = 60_000;
/** A share is no more than 1: a scale that ends there is easier to read than one that ends at 1.2. */
const WHOLE = { max: 1, interval: 0.25 };

/** The graph of a panel as an `<svg>` element of its own. */
export function graph(
  panel: Panel,
  series: readonly Series[],
  range: Range,
  { theme, palette, size }: { theme: Theme; palette: Palette; size: Size },
): string {
  if (series.length === 0) {
    const middle = { color: theme.faint, size: 12, anchor: 'middle' } as const;
    return text('No data', size.width / 2, size.height / 2, middle);
  }
  const style = (panel.fieldConfig?.defaults?.custom ?? {}) as GraphStyle;
  const byName = [...series].sort((a, b) => (a.name < b.name ? -1 : 1));
  const colors = palette.colorsOf(byName.map(({ name }) => name));
  const drawn = byName.map((each, index) => seriesOption(each, style, range, colors[index] as string));
  const steps = panel.fieldConfig?.defaults?.thresholds?.steps ?? [];
  const limits = style.thresholdsStyle?.mode === 'dashed' ? thresholdLines(steps, theme) : [];
  const below = legend(
    byName.map(({ name }, index) => ({ name, color: colors[index] as string })),
    size.width,
    theme,
  );
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const unit = panel.fieldConfig?.defaults?.unit;
  const format = formatOf(unit);
  const labels = { color: theme.faint, fontSize: LETTERS };
  const height = size.height - below.height;
  const drawing = render(
    { width: size.width, height },
    {
      animation: false,
      useUTC: true,
      textStyle: { fontFamily: FONT },
      grid: { left: 50, right: 14, top: 10, bottom: 22 },
      xAxis: {
        type: 'time',
        min: range.from,
        max: range.to,
        minInterval: MINUTE_MS,
        maxInterval: MINUTE_MS,
        axisLine: { show: false },
        axisTick: { show: false },
        splitLine: { show: true, showMinLine: false, showMaxLine: false, lineStyle: { color: theme.grid } },
        axisLabel: { ...labels, formatter: clock, hideOverlap: true },
      },
      yAxis: {
        type: 'value',
        min: panel.fieldConfig?.defaults?.min ?? 'dataMin',
        ...(unit === 'percentunit' && Math.max(...values) > 0.8 && WHOLE),
        splitNumber: 4,
        splitLine: { lineStyle: { color: theme.grid } },
        axisLabel: { ...labels, formatter: format },
      },
      series: [...drawn, ...limits],
    },
  );
  return drawing + element('g', { transform: `translate(0 ${height})` }, below.svg);
}

function seriesOption(
  { name, points }: Series,
  style: GraphStyle,
  range: Range,
  color: string,
): SeriesOption {
  const values = new Map(points);
  const times = Array.from(
    { length: (range.to - range.from) / range.stepMs + 1 },
    (_, index) => range.from + index * range.stepMs,
  );
  const data = times.map((time) => [time, values.get(time) ?? null]);
  const common = { name, silent: true, emphasis: { disabled: true }, data };
  if (style.drawStyle === 'bars') {
    const opacity = (style.fillOpacity ?? 100) / 100;
    const stack = style.stacking?.mode === 'normal' ? { stack: 'all' } : {};
    return { ...common, ...stack, type: 'bar', barCategoryGap: '25%', itemStyle: { color, opacity } };
  }
  /** A point with gaps on both sides is no line. */
  const isAlone = (index: number) => data[index - 1]?.[1] == null && data[index + 1]?.[1] == null;
  return {
    ...common,
    type: 'line',
    connectNulls: false,
    symbol: (_value, { dataIndex }) => (isAlone(dataIndex) ? 'circle' : 'none'),
    symbolSize: 4,
    showAllSymbol: true,
    itemStyle: { color },
    lineStyle: { color, width: (style.lineWidth ?? 1) * 0.8 },
    areaStyle: { color, opacity: (style.fillOpacity ?? 0) / 100 },
  };
}

/** A series without data that carries the dashed lines, so that they have no entry in the legend. */
function thresholdLines(steps: readonly Threshold[], theme: Theme): SeriesOption[] {
  const data = steps.flatMap(({ value, color }) =>
    // The first one has no lower bound.
    value === null ? [] : [{ yAxis: value, lineStyle: { color: theme.named[color] ?? color } }],
  );
  const markLine = { silent: true, symbol: 'none', label: { show: false }, data };
  return [
    {
      type: 'line',
      data: [],
      markLine: { ...markLine, lineStyle: { type: [6, 4], width: 1, opacity: 0.8 } },
    },
  ];
}

/** Hours and minutes, UTC. */
function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}

function render({ width, height }: Size, option: EChartsOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return withoutInteraction(svg);
}

/**
 * A picture is looked at: no styles for the mouse, and no marks for a browser to make it a chart again. Of the font
 * only the size is its own, as an attribute: not every program reads the shorthand that some labels have.
 */
function withoutInteraction(svg: string): string {
  return svg
    .replaceAll(/<style[^>]*>.*?<\/style>/gs, '')
    .replaceAll(/ (?:class|ecmeta_\w+|pointer-events)="[^"]*"/g, '')
    .replaceAll(/ style="font[^"]*?([\d.]+)px[^"]*"/g, ' font-size="$1"')
    .replaceAll(/\n+/g, '');
}
