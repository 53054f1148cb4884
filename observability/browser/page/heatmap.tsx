/**
 * A heatmap: Grafana's is part of its server's pages and of no library. Buckets are told apart as there (each without
 * those below it), and coloured by d3's scheme, reversed in the dark theme, as Grafana does.
 */
import {
  type DataFrame,
  formattedValueToString,
  type GrafanaTheme2,
  getDisplayProcessor,
} from '@grafana/data';
import { interpolateOranges } from 'd3-scale-chromatic';
import { useEffect, useRef } from 'react';
import type { Shown } from './prometheus.js';

const AXIS = 50;
const FOOT = 20;

export function Heatmap({
  frames,
  shown: { range },
  width,
  height,
  theme,
  reverse,
}: {
  frames: readonly DataFrame[];
  shown: Shown;
  width: number;
  height: number;
  theme: GrafanaTheme2;
  reverse?: boolean;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page shows one thing, once.
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const counts = frames.map(
      ({ fields }) =>
        new Map(fields[0]?.values.map((time: number, i: number) => [time, fields[1]?.values[i] as number])),
    );
    const cells = counts
      .flatMap((bucket, row) =>
        [...bucket].map(([time, upTo]) => ({ row, time, count: upTo - (counts[row - 1]?.get(time) ?? 0) })),
      )
      .filter(({ count }) => count > 1e-9);
    const most = Math.max(...cells.map(({ count }) => count));
    const [from, to] = [range.from.valueOf(), range.to.valueOf()];
    const [plotWidth, plotHeight] = [width - AXIS, height - FOOT];
    const step = (frames[0]?.fields[0]?.config.interval ?? 60_000) as number;
    const rowHeight = plotHeight / frames.length;
    for (const { row, time, count } of cells) {
      const share = count / most;
      context.fillStyle = interpolateOranges(theme.isDark !== Boolean(reverse) ? 1 - share : share);
      const x = AXIS + ((time - from) / (to - from)) * plotWidth;
      context.fillRect(
        x,
        plotHeight - (row + 1) * rowHeight,
        Math.max(1, (step / (to - from)) * plotWidth - 1),
        rowHeight - 1,
      );
    }
    const display = getDisplayProcessor({ theme, field: { type: 'number' as never, config: { unit: 's' } } });
    context.fillStyle = theme.colors.text.primary;
    context.font = '12px Inter, sans-serif';
    frames.forEach(({ fields }, row) => {
      const le = Number(fields[1]?.labels?.le?.replace('+Inf', 'Infinity'));
      const label = Number.isFinite(le) ? formattedValueToString(display(le)) : '+Inf';
      if (row % 2 === 0) context.fillText(label, 0, plotHeight - (row + 0.5) * rowHeight + 4);
    });
  }, []);
  return <canvas ref={canvas} width={width} height={height} />;
}
