/** Panels with a table: a row for each series, a column for each of its labels that the dashboard names. */
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Size } from './graph.js';
import type { Series } from './measured.js';
import { element, text } from './svg.js';
import type { Theme } from './theme.js';
import { formatOf } from './units.js';

/** What the dashboards' own tables say about their columns. */
interface Organize {
  readonly indexByName: Readonly<Record<string, number>>;
}

/** Grafana's name for the column of what the expression returned. */
const VALUE = 'Value';
const ROW = 20;
const SIDE = 10;

/** The highest values first, as many as there is room for: in Grafana one would sort and scroll. */
export function table(panel: Panel, data: readonly Series[], { width, height }: Size, theme: Theme): string {
  const columns = columnsOf(panel);
  const format = formatOf(panel.fieldConfig?.defaults?.unit);
  const place = (column: string, index: number) =>
    column === VALUE
      ? ({ x: width - SIDE, anchor: 'end' } as const)
      : ({ x: SIDE + (index * (width - 2 * SIDE)) / columns.length, anchor: 'start' } as const);
  const line = (cells: readonly string[], row: number, color: string, weight?: 500) =>
    cells.map((cell, index) => {
      const { x, anchor } = place(columns[index]?.name ?? '', index);
      return text(cell, x, row * ROW + 13, { color, size: 11, anchor, ...(weight && { weight }) });
    });
  const byValue = [...data].sort((a, b) => lastOf(b) - lastOf(a));
  const rows = byValue.slice(0, Math.floor(height / ROW) - 1).map((series, index) => {
    const cells = columns.map(({ name }) =>
      name === VALUE ? format(lastOf(series)) : (series.labels[name] ?? ''),
    );
    const y = (index + 1) * ROW - 1;
    const rule = { x1: 1, x2: width - 1, y1: y, y2: y, stroke: theme.grid };
    return [element('line', rule), ...line(cells, index + 1, theme.text)].join('');
  });
  const titles = columns.map(({ title }) => title);
  return [...line(titles, 0, theme.named.blue as string, 500), ...rows].join('');
}

function lastOf({ points }: Series): number {
  return points.at(-1)?.[1] ?? 0;
}

/** In the order in which they are shown, with what heads them. */
function columnsOf({ fieldConfig, transformations = [] }: Panel): { name: string; title: string }[] {
  const organize = transformations.find(({ id }) => id === 'organize')?.options as Organize | undefined;
  return Object.entries(organize?.indexByName ?? {})
    .sort(([, a], [, b]) => a - b)
    .map(([name]) => {
      const override = fieldConfig?.overrides?.find(({ matcher }) => matcher.options === name);
      const title = override?.properties.find(({ id }) => id === 'displayName')?.value;
      return { name, title: String(title ?? name) };
    });
}
