/** A dashboard as a picture: its panels where it has them, with the data that they got. */
import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard';
import { graph, type Size } from './graph.js';
import { type Measured, panelKey, type Series } from './measured.js';
import { stat } from './stat.js';
import { element, escaped, text } from './svg.js';
import { table } from './table.js';
import { FONT, Palette, type Theme } from './theme.js';

/** In pixels: the whole, what Grafana calls a grid, and the margins. */
const WIDTH = 880;
const COLUMNS = 24;
const UNIT = 27;
const GAP = 6;
const EDGE = 10;
const HEADER = 34;
const TITLE = 26;

interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

interface Context {
  readonly measured: Measured;
  readonly theme: Theme;
  readonly palette: Palette;
}

/** How each kind of panel is drawn below its title. */
const KINDS: Readonly<
  Record<string, (panel: Panel, data: readonly Series[], size: Size, context: Context) => string>
> = {
  stat: (panel, data, size, { theme }) => stat(panel, data, size, theme),
  table: (panel, data, size, { theme }) => table(panel, data, size, theme),
  timeseries: (panel, data, size, { theme, palette, measured: { range } }) =>
    graph(panel, data, range, { theme, palette, size }),
};

/**
 * @param dashboard with the panels that the picture should have
 * @param caption says where the data comes from
 * @throws where a panel is of a kind that cannot be drawn
 */
export function dashboardPicture(
  { title = '', panels = [] }: Dashboard,
  { measured, theme, caption }: { measured: Measured; theme: Theme; caption: string },
): string {
  const context = { measured, theme, palette: new Palette(theme.palette) };
  const height = HEADER + EDGE + Math.max(...panels.map((panel) => boxOf(panel).y + boxOf(panel).height));
  const drawn = panels.map((panel) =>
    panel.type === 'row'
      ? row(panel as RowPanel, theme)
      : framed(panel as Panel, measured.panels[panelKey(title, panel.title ?? '')] ?? [], context),
  );
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: WIDTH,
      height,
      viewBox: `0 0 ${WIDTH} ${height}`,
      'font-family': FONT,
      role: 'img',
    },
    element('title', {}, escaped(`${title} (${caption})`)),
    element('rect', { width: WIDTH, height, rx: 6, fill: theme.canvas }),
    text(title, EDGE + 4, 23, { color: theme.text, size: 15, weight: 600 }),
    text(caption, WIDTH - EDGE - 4, 23, { color: theme.faint, size: 11, anchor: 'end' }),
    element('g', { transform: `translate(0 ${HEADER})` }, ...drawn),
  );
}

function boxOf({ gridPos }: Panel | RowPanel): Box {
  const { x, y, w, h } = gridPos ?? { x: 0, y: 0, w: COLUMNS, h: 1 };
  const column = (WIDTH - 2 * EDGE + GAP) / COLUMNS;
  return { x: EDGE + x * column, y: y * UNIT, width: w * column - GAP, height: h * UNIT - GAP };
}

function row(panel: RowPanel, { text: color }: Theme): string {
  const { x, y, height } = boxOf(panel);
  const chevron = `M${x + 4} ${y + height / 2 - 2}l4 4l4 -4`;
  return [
    element('path', { d: chevron, fill: 'none', stroke: color, 'stroke-width': 1.5 }),
    text(panel.title ?? '', x + 20, y + height / 2 + 4, { color, size: 12.5, weight: 600 }),
  ].join('');
}

function framed(panel: Panel, data: readonly Series[], context: Context): string {
  const draw = KINDS[panel.type];
  if (!draw) throw new Error(`no picture of panels of the kind ${panel.type}`);
  const { x, y, width, height } = boxOf(panel);
  const { theme } = context;
  return element(
    'g',
    { transform: `translate(${x} ${y})` },
    element('rect', {
      x: 0.5,
      y: 0.5,
      width: width - 1,
      height: height - 1,
      rx: 3,
      fill: theme.panel,
      stroke: theme.border,
    }),
    text(panel.title ?? '', 9, 18, { color: theme.text, size: 11.5, weight: 600 }),
    element(
      'g',
      { transform: `translate(0 ${TITLE})` },
      draw(panel, data, { width, height: height - TITLE }, context),
    ),
  );
}
