/** What Grafana's Prometheus source makes of a query: the expression with its variables filled in, and data frames. */
import { type DataFrame, FieldType, rangeUtil, type TimeRange } from '@grafana/data';

/** What the page shows, from its address. */
export interface Shown {
  readonly prometheus: string;
  readonly range: TimeRange;
  readonly variables: Readonly<Record<string, string>>;
}

export interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat?: string;
  readonly format?: string;
  readonly instant?: boolean;
}

type Point = [seconds: number, value: string];
interface Series {
  readonly metric: Record<string, string>;
  readonly values?: Point[];
  readonly value?: Point;
}

/** Grafana's own default for the time between two scrapes. */
const SCRAPE_MS = 15_000;

/** @param lowest the panel's shortest step */
export function stepOf({ range }: Shown, width: number, lowest: string | undefined): number {
  return rangeUtil.calculateInterval(range, Math.max(1, Math.round(width)), lowest).intervalMs;
}

/** @param width of the panel, in pixels */
export async function ask(
  shown: Shown,
  { targets, interval }: { targets: readonly Target[]; interval?: string },
  width: number,
): Promise<DataFrame[]> {
  const step = stepOf(shown, width, interval);
  const frames = await Promise.all(
    targets.map(async (target) => {
      const series = await query(shown, target, step);
      if (target.format === 'table') return [table(target, series, targets.length > 1)];
      const each = series.map((one) => frame(target, one, step));
      return target.format === 'heatmap' ? each.sort((a, b) => bound(a) - bound(b)) : each;
    }),
  );
  return frames.flat();
}

/** The points at which an expression has a value, for annotations. */
export async function times(shown: Shown, expr: string, step: number): Promise<number[][]> {
  const series = await query(shown, { refId: 'Anno', expr }, step);
  return series.map(({ values = [] }) => values.map(([seconds]) => seconds * 1000));
}

async function query(shown: Shown, { expr, instant }: Target, step: number): Promise<Series[]> {
  const { from, to } = shown.range;
  const values: Record<string, string> = {
    ...shown.variables,
    __range: `${Math.round((to.valueOf() - from.valueOf()) / 1000)}s`,
    __rate_interval: `${Math.max(step + SCRAPE_MS, 4 * SCRAPE_MS) / 1000}s`,
    __interval: `${step / 1000}s`,
  };
  const filled = expr.replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) => values[name] ?? whole);
  const align = (ms: number) => String((Math.floor(ms / step) * step) / 1000);
  const parameters: Record<string, string> = instant
    ? { query: filled, time: String(to.valueOf() / 1000) }
    : { query: filled, start: align(from.valueOf()), end: align(to.valueOf()), step: String(step / 1000) };
  parameters.stats = 'all';
  const response = await fetch(`${shown.prometheus}/api/v1/${instant ? 'query' : 'query_range'}`, {
    method: 'POST',
    body: new URLSearchParams(parameters),
  });
  const answer = await response.json();
  if (answer.status !== 'success') throw new Error(`${answer.error}: ${filled}`);
  const { samples } = document.body.dataset;
  document.body.dataset.samples = String(
    Number(samples ?? 0) + answer.data.stats.samples.totalQueryableSamples,
  );
  return answer.data.result;
}

function frame(
  { refId, legendFormat = '' }: Target,
  { metric, values, value }: Series,
  step: number,
): DataFrame {
  const points = values ?? (value ? [value] : []);
  const name = legendFormat.replaceAll(
    /\{\{\s*(.+?)\s*\}\}/g,
    (_whole, label: string) => metric[label] ?? '',
  );
  return {
    refId,
    name,
    length: points.length,
    fields: [
      {
        name: 'Time',
        type: FieldType.time,
        config: { interval: step },
        values: points.map(([seconds]) => seconds * 1000),
      },
      {
        name: 'Value',
        type: FieldType.number,
        labels: metric,
        // No name at all is no name: Grafana finds one itself.
        config: name === '' ? {} : { displayNameFromDS: name },
        values: points.map(([, text]) => Number(text)),
      },
    ],
  };
}

function table({ refId }: Target, series: readonly Series[], isOneOfMany: boolean): DataFrame {
  const labels = [...new Set(series.flatMap(({ metric }) => Object.keys(metric)))].sort();
  return {
    refId,
    length: series.length,
    fields: [
      {
        name: 'Time',
        type: FieldType.time,
        config: {},
        values: series.map(({ value }) => 1000 * (value?.[0] ?? 0)),
      },
      ...labels.map((name) => ({
        name,
        type: FieldType.string,
        config: { filterable: true },
        values: series.map(({ metric }) => metric[name] ?? ''),
      })),
      {
        name: isOneOfMany ? `Value #${refId}` : 'Value',
        type: FieldType.number,
        config: {},
        values: series.map(({ value }) => Number(value?.[1])),
      },
    ],
  };
}

const bound = ({ fields }: DataFrame) => Number((fields[1]?.labels?.le ?? '').replace('+Inf', 'Infinity'));
