/** Annotations, as Grafana draws them: a region for points that follow each other, with lines at its ends. */
import { colorManipulator, type GrafanaTheme2 } from '@grafana/data';
import type { UPlotConfigBuilder } from '@grafana/ui';
import { type Shown, stepOf, times } from './prometheus.js';

export interface Annotation {
  readonly color: string;
  readonly from: number;
  readonly to: number;
}

export interface AnnotationModel {
  readonly name: string;
  readonly enable: boolean;
  readonly iconColor: string;
  readonly target?: { readonly expr: string; readonly interval?: string };
}

/** Grafana asks for annotations in this many steps, none shorter than that of the annotation. */
const STEPS = 100;
/** In Grafana's AnnotationsPlugin2. */
const OPACITY = 0.1;

export async function load(shown: Shown, models: readonly AnnotationModel[]): Promise<Annotation[]> {
  const all = await Promise.all(
    models.map(async ({ enable, target, iconColor }) => {
      if (!enable || !target) return [];
      const step = stepOf(shown, STEPS, target.interval);
      const series = await times(shown, target.expr, step);
      return series.flatMap((points) =>
        regions(points, step).map((region) => ({ ...region, color: iconColor })),
      );
    }),
  );
  return all.flat();
}

function regions(points: readonly number[], step: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const at of points) {
    const last = found.at(-1);
    if (last && at - last.to <= step) last.to = at;
    else found.push({ from: at, to: at });
  }
  return found;
}

export function annotate(
  builder: UPlotConfigBuilder,
  annotations: readonly Annotation[],
  theme: GrafanaTheme2,
): void {
  builder.addHook('draw', (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    for (const { from, to, color } of annotations) {
      const [left, right] = [from, to].map((at) => plot.valToPos(at, 'x', true)) as [number, number];
      const named = theme.visualization.getColorByName(color);
      ctx.fillStyle = colorManipulator.alpha(named, OPACITY);
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
      ctx.strokeStyle = named;
      ctx.lineWidth = 2 * devicePixelRatio;
      ctx.setLineDash([5, 5]);
      for (const x of new Set([left, right])) {
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
      ctx.fillStyle = named;
      ctx.fillRect(left - 4, bbox.top + bbox.height, right - left + 8, 5 * devicePixelRatio);
    }
    ctx.restore();
  });
}
