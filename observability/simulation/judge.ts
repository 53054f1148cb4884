/** What came of a row: what fired when, and what is wrong with that. */
import { labelName } from '../src/names.js';
import type { Firing } from './promtool.js';
import type { Row } from './rows.js';
import type { Span } from './world.js';

export interface Outcome {
  readonly row: Row;
  /** Minutes from the fault's start until an alert fired that should. */
  readonly fired?: number | undefined;
  /** Minutes from the fault's end until none of them fired. */
  readonly resolved?: number | undefined;
  /** Alerts that should not have fired, each time. */
  readonly falseAlarms: readonly { readonly alert: string; readonly span: Span }[];
  /** In words; none where all is as it must be. */
  readonly problems: readonly string[];
}

export function judge(row: Row, all: readonly Firing[]): Outcome {
  const { fault, labels = {} } = row;
  const isMeant = ({ alert, labels: its }: Firing) =>
    alert === row.alert && Object.entries(labels).every(([name, value]) => its[labelName(name)] === value);
  const firings = all.map((firing) => ({
    ...firing,
    spans: firing.spans.filter(({ from }) => from < row.length),
  }));
  const meant = fault === undefined ? [] : firings.filter(isMeant);
  const spans = merged(meant.flatMap((firing) => firing.spans));
  const first = fault && spans.find(({ to }) => to > fault.from);
  const fired = first && fault && first.from < fault.to ? Math.max(0, first.from - fault.from) : undefined;
  const last = spans.findLast(({ from }) => fault !== undefined && from < fault.to + (row.resolves ?? 0));
  const resolved =
    fired === undefined || fault === undefined ? undefined : Math.max(0, (last?.to ?? 0) - fault.to);
  const falseAlarms = [
    ...firings
      .filter((firing) => !meant.includes(firing))
      .flatMap(({ alert, spans }) => spans.map((span) => ({ alert, span }))),
    ...meant.flatMap(({ alert, spans }) =>
      spans
        .filter(
          ({ from, to }) =>
            fault !== undefined &&
            (to <= fault.from || from >= fault.to + (row.resolves ?? Number.POSITIVE_INFINITY)),
        )
        .map((span) => ({ alert, span })),
    ),
  ].filter(({ span }) => row.quietFrom === undefined || span.to > row.quietFrom);
  const problems: string[] = [];
  if (fault !== undefined) {
    if (fired === undefined) problems.push('never fires');
    else {
      if (row.within !== undefined && fired > row.within)
        problems.push(`fires after ${words(fired)}, not within ${words(row.within)}`);
      const gap = spans.find(({ to }) => to > fault.from + fired && to < fault.to);
      if (row.stays && gap !== undefined)
        problems.push(`does not stay: ends ${words(gap.to - fault.from)} after the start of the fault`);
      if (row.resolves !== undefined && resolved !== undefined && resolved > row.resolves)
        problems.push(`resolves after ${words(resolved)}, not within ${words(row.resolves)}`);
    }
  }
  for (const { alert, span } of falseAlarms.slice(0, 3))
    problems.push(`false alarm: ${alert} at ${words(span.from)} for ${words(span.to - span.from)}`);
  if (falseAlarms.length > 3) problems.push(`${falseAlarms.length} false alarms in all`);
  return { row, fired, resolved, falseAlarms, problems };
}

/** Spans that touch or overlap as one. */
function merged(spans: readonly Span[]): Span[] {
  const all: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

/** Minutes in words. */
export function words(minutes: number): string {
  if (minutes < 120) return `${Math.round(minutes)} min`;
  if (minutes < 3 * 24 * 60) return `${Number((minutes / 60).toFixed(1))} h`;
  return `${Number((minutes / 24 / 60).toFixed(1))} days`;
}
