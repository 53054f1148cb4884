/** Traces as Jaeger shows them: a row for each span, its time beside it, and an arrow along each link. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  ATTR_PAPERCLIP_RECOVERY_KIND,
} from '../../../src/semconv.js';
import type { Span } from './spans.js';
import { decimal, element, escaped, text } from './svg.js';
import { FONT, type Theme } from './theme.js';
import { ERROR, type Row, type Trace } from './traces.js';

/** What a reader looks at first, of the attributes that a span has. */
const SHOWN = [
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_SHAPE,
];

/** In pixels: the whole, where the times begin and end, and the heights of what a trace consists of. */
const WIDTH = 880;
const EDGE = 10;
const HEADER = 34;
const TIMES = { from: 430, to: WIDTH - EDGE - 62 };
const TITLE = 30;
const TICKS = 20;
const ROW = 26;
const TAG = 15;
const GAP = 10;
const INDENT = 18;
/** How far to the left of the times arrows run. */
const GUTTER = 20;
const BAR = 10;
/** What is too short to see is drawn this wide. */
const NARROWEST = 3;
/** The scale is divided by this many lines. */
const QUARTERS = 4;
/** Marks what failed, beside the colour. */
const CROSS = 'M0 0l8 8M8 0l-8 8';

interface Place {
  readonly from: number;
  readonly to: number;
  /** Middle of the bar. */
  readonly y: number;
}

export function tracePicture(
  traces: readonly Trace[],
  { title, caption, theme }: { title: string; caption: string; theme: Theme },
): string {
  let y = HEADER;
  const drawn = traces.map((trace) => {
    const box = element('g', { transform: `translate(0 ${y})` }, card(trace, theme));
    y += heightOf(trace) + GAP;
    return box;
  });
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: WIDTH,
      height: y,
      viewBox: `0 0 ${WIDTH} ${y}`,
      'font-family': FONT,
      role: 'img',
    },
    element('title', {}, escaped(`${title} (${caption})`)),
    element('rect', { width: WIDTH, height: y, rx: 6, fill: theme.canvas }),
    text(title, EDGE + 4, 23, { color: theme.text, size: 15, weight: 600 }),
    text(caption, WIDTH - EDGE - 4, 23, { color: theme.faint, size: 11, anchor: 'end' }),
    ...drawn,
  );
}

function card(trace: Trace, theme: Theme): string {
  const { service, name, traceId } = trace.root;
  const heading = `${service}: ${name}`;
  const summary = `trace ${traceId.slice(0, 7)} · ${durationText(trace.duration)} · ${trace.rows.length} spans`;
  const frame = { x: EDGE, width: WIDTH - 2 * EDGE, height: heightOf(trace), rx: 3 };
  const parts = [
    element('rect', { ...frame, fill: theme.panel, stroke: theme.border }),
    text(heading, EDGE + 12, 20, { color: theme.text, size: 12.5, weight: 600 }),
    text(summary, WIDTH - EDGE - 12, 20, { color: theme.faint, size: 11, anchor: 'end' }),
    scale(trace, theme),
  ];
  const places = new Map<string, Place>();
  let top = TITLE + TICKS;
  for (const row of trace.rows) {
    const place = { ...extent(row.span, trace), y: top + ROW / 2 };
    places.set(row.span.spanId, place);
    parts.push(spanRow(row, place, theme));
    top += rowHeight(row);
  }
  for (const { span, failure } of trace.rows) {
    const [from, to] = [places.get(failure?.spanId ?? ''), places.get(span.spanId)];
    if (from && to) parts.push(arrow(from, to, theme));
  }
  return parts.join('');
}

/** The lines of the scale, from the trace's start to its end. */
function scale(trace: Trace, theme: Theme): string {
  return Array.from({ length: QUARTERS + 1 }, (_, quarter) => {
    const x = TIMES.from + ((TIMES.to - TIMES.from) * quarter) / QUARTERS;
    const label = durationText((trace.duration * quarter) / QUARTERS);
    const line = { x1: x, x2: x, y1: TITLE + TICKS, y2: heightOf(trace) - 6, stroke: theme.grid };
    return (
      element('line', line) + text(label, x, TITLE + 13, { color: theme.faint, size: 10.5, anchor: 'middle' })
    );
  }).join('');
}

function extent({ start, duration }: Span, trace: Trace): { from: number; to: number } {
  const perMicrosecond = (TIMES.to - TIMES.from) / trace.duration;
  const from = TIMES.from + (start - trace.start) * perMicrosecond;
  return { from, to: Math.max(from + NARROWEST, from + duration * perMicrosecond) };
}

function spanRow({ span, depth }: Row, { from, to, y }: Place, theme: Theme): string {
  const hasFailed = span.status === ERROR;
  const color = hasFailed ? theme.red : theme.blue;
  const x = EDGE + 12 + depth * INDENT;
  const nameColor = hasFailed ? color : theme.text;
  const mark = { d: CROSS, stroke: color, 'stroke-width': 1.8, transform: `translate(${x + 10} ${y - 4})` };
  const tags = tagsOf(span).map((tag, index) =>
    text(tag, x + 10, y + 4 + (index + 1) * TAG, { color: theme.faint, size: 10.5 }),
  );
  return [
    element('rect', { x, y: y - 7, width: 3, height: 14, fill: color }),
    hasFailed ? element('path', mark) : '',
    text(span.name, x + (hasFailed ? 23 : 10), y + 4, { color: nameColor, size: 12, weight: 600 }),
    ...tags,
    element('rect', { x: from, y: y - BAR / 2, width: to - from, height: BAR, rx: 2, fill: color }),
    text(durationText(span.duration), to + 6, y + 4, { color: theme.text, size: 10.5 }),
  ].join('');
}

/** From what recovers to what it recovers from, around what is between them. */
function arrow(failure: Place, recovery: Place, theme: Theme): string {
  const color = theme.orange;
  const tip = decimal(failure.from - 2);
  const path = `M${decimal(recovery.from - 2)} ${recovery.y}H${TIMES.from - GUTTER}V${failure.y}H${tip}`;
  const line = { d: path, fill: 'none', stroke: color, 'stroke-width': 1.3 };
  return element('path', line) + element('path', { d: `M${tip} ${failure.y}l-7 4v-8Z`, fill: color });
}

function tagsOf({ attributes }: Span): string[] {
  return SHOWN.filter((key) => attributes[key] !== undefined).map((key) => {
    const value = attributes[key];
    return `${key} = ${Array.isArray(value) ? value.join(', ') : value}`;
  });
}

function rowHeight({ span }: Row): number {
  const tags = tagsOf(span).length;
  return ROW + tags * TAG + (tags > 0 ? 4 : 0);
}

function heightOf({ rows }: Trace): number {
  return TITLE + TICKS + rows.reduce((sum, row) => sum + rowHeight(row), 0) + 8;
}

/** A duration as people write it, with at most one decimal. */
function durationText(microseconds: number): string {
  const [factor, unit] = [[1e6, 's'] as const, [1e3, 'ms'] as const].find(
    ([least]) => microseconds >= least,
  ) ?? [1, 'µs'];
  return `${Math.round((microseconds / factor) * 10) / 10} ${unit}`;
}
