/** Panels with one number. */
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Size } from './graph.js';
import type { Series } from './measured.js';
import { element, text } from './svg.js';
import { readableOn, type Theme } from './theme.js';
import { formatOf } from './units.js';

/** The number, on or in the colour of the threshold that it has reached. */
export function stat(panel: Panel, data: readonly Series[], { width, height }: Size, theme: Theme): string {
  const { noValue = '', unit, thresholds } = panel.fieldConfig?.defaults ?? {};
  const value = data[0]?.points.at(-1)?.[1];
  // The first step has no lower bound.
  const reached = (thresholds?.steps ?? []).filter(
    (step) => step.value === null || (value !== undefined && value >= step.value),
  );
  const name = reached.at(-1)?.color ?? 'blue';
  const color = theme.named[name] ?? name;
  const isFilled = (panel.options as { colorMode?: string }).colorMode === 'background_solid';
  const shown = value === undefined ? noValue : formatOf(unit)(value);
  const style = {
    color: isFilled ? readableOn(color) : color,
    size: 27,
    weight: 500,
    anchor: 'middle',
  } as const;
  const back = { x: 1, width: width - 2, height: height - 1, rx: 2, fill: color };
  return (isFilled ? element('rect', back) : '') + text(shown, width / 2, height / 2 + 9, style);
}
