/** A dashboard's generated JSON, rendered with Grafana's front-end libraries. What to show stands in the page's address. */
import { createTheme, dateTime, ThemeContext } from '@grafana/data';
import { GlobalStyles, PortalContainer } from '@grafana/ui';
import { useCallback, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { type Annotation, type AnnotationModel, load } from './annotations.js';
import { Panel, type PanelModel } from './panel.js';
import type { Shown } from './prometheus.js';

interface DashboardModel {
  readonly title: string;
  readonly panels: readonly PanelModel[];
  readonly annotations: { readonly list: readonly AnnotationModel[] };
}

/** Grafana's grid: columns, the height of a row, and the space between panels, in pixels. */
const COLUMNS = 24;
const ROW = 30;
const GAP = 8;
const EDGE = 16;

function Page({
  dashboard,
  shown,
  annotations,
  width,
}: {
  dashboard: DashboardModel;
  shown: Shown;
  annotations: readonly Annotation[];
  width: number;
}) {
  const column = (width - 2 * EDGE + GAP) / COLUMNS;
  const waiting = useRef(dashboard.panels.filter(({ type }) => type !== 'row').length);
  const onReady = useCallback(() => {
    waiting.current--;
    if (waiting.current === 0) document.body.dataset.ready = 'true';
  }, []);
  const bottom = Math.max(...dashboard.panels.map(({ gridPos: { y, h } }) => y + h));
  return (
    <main style={{ position: 'relative', height: 60 + bottom * (ROW + GAP) }}>
      <h1 style={{ padding: EDGE, fontSize: 20 }}>{dashboard.title}</h1>
      {dashboard.panels.map((panel) => {
        const { x, y, w, h } = panel.gridPos;
        const size = { width: w * column - GAP, height: h * (ROW + GAP) - GAP };
        const style = {
          position: 'absolute',
          left: EDGE + x * column,
          top: 56 + y * (ROW + GAP),
          ...size,
        } as const;
        return panel.type === 'row' ? (
          <h2 key={panel.id} style={{ ...style, fontSize: 16 }}>
            ⌄ {panel.title}
          </h2>
        ) : (
          <section key={panel.id} style={style} data-panel={panel.title} data-type={panel.type}>
            <Panel {...{ panel, shown, annotations, size, onReady }} />
          </section>
        );
      })}
      <PortalContainer />
    </main>
  );
}

const parameters = new URLSearchParams(location.search);
const [from, to] = ['from', 'to'].map((name) => dateTime(Number(parameters.get(name)))) as [never, never];
const shown: Shown = {
  prometheus: String(parameters.get('prometheus')),
  range: { from, to, raw: { from, to } },
  variables: JSON.parse(String(parameters.get('variables') ?? '{}')),
};
const theme = createTheme({ colors: { mode: parameters.get('theme') === 'light' ? 'light' : 'dark' } });
const dashboard: DashboardModel = await (
  await fetch(`/dashboards/${parameters.get('dashboard')}.json`)
).json();
const annotations = await load(shown, dashboard.annotations.list);
createRoot(document.getElementById('root') as HTMLElement).render(
  <ThemeContext.Provider value={theme}>
    <GlobalStyles />
    <Page {...{ dashboard, shown, annotations }} width={innerWidth} />
  </ThemeContext.Provider>,
);
