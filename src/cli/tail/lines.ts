/** The text of operations, rates and the summary. */
import {
  type LeaseShape,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../semconv.js';
import { OK, type Operation, UNKNOWN } from './otlp.js';
import type { Rate, Rates } from './rates.js';
import type { Colour, Paint } from './style.js';
import type { Failure, OutcomeCount, Tally } from './tally.js';

/** In characters. */
const WIDTH = 120;

/** Where the columns of an operation's line start, and where its duration ends. */
const COLUMNS = { name: 13, place: 35, durationEnd: 61, outcome: 62 } as const;

/** The most characters of a name and a place. */
const LONGEST = { name: 30, place: 24 } as const;

const INCOMPLETE: LeaseShape = 'plugin_incomplete';
const NON_PLUGIN: LeaseShape = 'non_plugin';

/** @returns the line of an operation */
export function operationLine(operation: Operation, failure: Failure | undefined, paint: Paint): string {
  const { driver, provider, recovery, outcome } = operation;
  const name = cut(operation.name, LONGEST.name);
  const duration = formatDuration(operation);
  const mark = recovery === undefined ? '' : '↳ ';
  const start = timeOf(operation.endedAt).padEnd(COLUMNS.name);
  let rest = padTo(mark + name, COLUMNS.place - COLUMNS.name);
  rest += cut([driver, provider].filter((part) => part !== undefined).join(' '), LONGEST.place);
  rest = padTo(rest, COLUMNS.durationEnd - COLUMNS.name - duration.length) + duration;
  rest = padTo(rest, COLUMNS.outcome - COLUMNS.name);
  const origin = recovery === undefined ? '' : ` ← ${originOf(recovery.kind, failure)}`;
  const end = cut(outcome + origin + detailsOf(operation), WIDTH - start.length - rest.length);
  const colour = colourOf(outcome);
  return [
    start,
    paintSome(mark, 'cyan', paint),
    rest.slice(mark.length),
    paintSome(end.slice(0, outcome.length), colour, paint),
    paintSome(end.slice(outcome.length, outcome.length + origin.length), 'cyan', paint),
    paintSome(end.slice(outcome.length + origin.length), colour, paint),
  ].join('');
}

/** Colours a text. An empty one stays empty, without the codes of a colour. */
function paintSome(text: string, colour: Colour, paint: Paint): string {
  return text === '' ? '' : paint(text, colour);
}

/** Both rates and the counts of operations and servers: in full, and in shorter and shorter forms. */
export type Header = readonly [full: string, ...shorter: string[]];

export function headerOf({ fallback, reacquire }: Rates, tally: Tally): Header {
  const { operations, failed, others, servers } = tally;
  const ends = `${counted(operations, 'operation')}, ${failed} failed`;
  const from = counted(servers, 'server');
  const forms: [string[], ...string[][]] = [
    [
      `fallback rate ${formatRate(fallback, ' (none yet)')}`,
      `re-acquire success ${formatRate(reacquire, ' (none yet)')}`,
      ends,
      `from ${from}`,
      ...(others > 0 ? [counted(others, 'other span')] : []),
    ],
    [`fallback ${formatRate(fallback)}`, `re-acquire ${formatRate(reacquire)}`, ends, from],
    [
      `fallback ${formatShare(fallback)}`,
      `re-acquire ${formatShare(reacquire)}`,
      `${failed} of ${operations} failed`,
      from,
    ],
  ];
  const [full, ...shorter] = forms.map((parts) => parts.join(' · '));
  return [full as string, ...shorter];
}

/** @returns the lines of a table with the outcomes of each operation */
export function outcomesTable(outcomes: readonly OutcomeCount[], paint: Paint): string[] {
  const widthOf = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  const operationWidth = widthOf(outcomes.map(({ operation }) => operation));
  const outcomeWidth = widthOf(outcomes.map(({ outcome }) => outcome));
  const countWidth = widthOf(outcomes.map(({ count }) => String(count)));
  return outcomes.map(({ operation, outcome, count }) => {
    const colour = colourOf(outcome);
    const padding = ' '.repeat(outcomeWidth - outcome.length);
    return `${operation.padEnd(operationWidth)}  ${paint(outcome, colour)}${padding}  ${String(count).padStart(countWidth)}`;
  });
}

/** Cuts a text to so many characters. Surrogate pairs stay whole. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, Math.max(length - 1, 0)).join('')}…`;
}

/** @returns an unusual exit of the command, the background tag, and what the lease lacks */
function detailsOf(operation: Operation): string {
  const { errorType, backgroundTag, missingFields, shape, exitCode = 0 } = operation;
  const details: string[] = [];
  if (exitCode !== 0) details.push(`exit ${exitCode}`);
  if (errorType !== undefined) {
    if (backgroundTag !== undefined && backgroundTag !== errorType) details.push(backgroundTag);
    const fields = missingFields.map((field) => field.replace('metadata.', '')).join(' ');
    if (errorType === TAG_MISSING_METADATA_FIELD && fields !== '') return `: ${fields}`;
    if (fields !== '') details.push(`lacks ${fields}`);
    else if (shape === INCOMPLETE || shape === NON_PLUGIN) details.push(shape);
  }
  return details.map((detail) => ` · ${detail}`).join('');
}

function originOf(kind: string, failure: Failure | undefined): string {
  if (failure === undefined) return `${kind}, of what has not come`;
  return `${failure.name} ${timeOf(failure.endedAt)} (${kind})`;
}

function colourOf(outcome: string): Colour {
  switch (outcome) {
    case OK:
      return 'green';
    case UNKNOWN:
      return 'yellow';
    case TAG_UNSUPPORTED_DRIVER_OPERATION:
      return 'yellow';
    case TAG_MISSING_METADATA_FIELD:
      return 'magenta';
    default:
      return 'red';
  }
}

/** Pads the line up to a column. A line that is already longer gets one space. */
function padTo(line: string, column: number): string {
  return line.length < column ? line.padEnd(column) : `${line} `;
}

/** @returns the local time of day with milliseconds */
function timeOf(nanos: bigint): string {
  if (nanos === 0n) return '--:--:--.---';
  const time = new Date(Number(nanos / 1_000_000n));
  const pad = (number: number, length = 2) => String(number).padStart(length, '0');
  return `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}.${pad(time.getMilliseconds(), 3)}`;
}

/** @returns at most seven characters, for up to 99 hours */
function formatDuration({ startedAt, endedAt, outcome }: Operation): string {
  // The span of an unknown outcome ends when the call returns, and the operation some other time.
  if (startedAt === 0n || endedAt < startedAt || outcome === UNKNOWN) return '–';
  const ms = Number(endedAt - startedAt) / 1e6;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** @param none what follows the dash if `all` is 0 */
function formatRate(rate: Rate, none = ''): string {
  return formatShare(rate) + (rate.all === 0 ? none : ` (${rate.part} of ${rate.all})`);
}

function formatShare({ part, all }: Rate): string {
  return all === 0 ? '–' : `${Math.round((part / all) * 1_000) / 10} %`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
