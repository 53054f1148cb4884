/**
 * Translates PromQL of this package into another naming, and from classic to native histograms.
 *
 * An expression is split into PromQL's tokens and its brackets are paired. Selectors, lists of labels and calls of functions are found
 * in that, and everything else is copied. What cannot be translated is an error; tests translate every expression that is shipped,
 * and have Prometheus check it.
 */
import type { MetricDefinition } from '../../semconv.js';
import {
  ATTRIBUTES_BY_LABEL,
  dottedName,
  type HistogramPart,
  METRICS,
  type Naming,
  namePattern,
} from './names.js';

/** What to translate into. */
export interface Target {
  readonly naming: Naming;
  /** Whether Prometheus has histograms as native ones, which are one series each and have no buckets of their own name. */
  readonly hasNativeHistograms: boolean;
}

/** A token, or what stands between two brackets. */
type Node = string | Group;
interface Group {
  readonly open: string;
  readonly close: string;
  readonly items: Node[];
}

/** Space; texts; Grafana's variables; names and keywords; numbers and durations; operators and separators; brackets. */
const TOKEN =
  /\s+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\$\w+|\$\{[^}]*\}|[a-zA-Z_][\w:]*|[\d.]+\w*|[=!]~|[!=<>]=|[-+*/%^=<>,:@]|[()[\]{}]/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const NAME = /^[a-zA-Z_]/;

/** What precedes a list of labels. */
const BEFORE_LABELS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
/** Grafana's function for what a variable offers. */
const LABEL_VALUES = 'label_values';
/** The function whose texts name labels. */
const LABEL_REPLACE = 'label_replace';
const LE = 'le';

/** Functions that make a native histogram of a range of them. */
const OF_HISTOGRAMS = new Set(['increase', 'rate', 'last_over_time']);
/** Functions that say the same of native histograms as of their counts. */
const OF_ANYTHING = new Set(['resets', 'count_over_time', 'present_over_time']);
const NUMBER_OF = { count: 'histogram_count', sum: 'histogram_sum' } as const;

interface Series {
  readonly metric: MetricDefinition;
  readonly part?: HistogramPart;
}

/** What the names and patterns stand for that selectors of this package have. */
const SERIES: ReadonlyMap<string, Series> = new Map(
  METRICS.flatMap((metric): [string, Series][] =>
    metric.instrument === 'histogram'
      ? (['bucket', 'count', 'sum'] as const).map((part) => [namePattern(metric, part), { metric, part }])
      : [[namePattern(metric), { metric }]],
  ),
);

/** A selector in the target's names. */
interface Selector {
  readonly text: string;
  /** Index of what follows it. */
  readonly end: number;
  /** What was selected of a histogram that is native now. */
  readonly part?: HistogramPart;
}

interface Printed {
  readonly text: string;
  /** Index of what follows. */
  readonly end: number;
  /** The function that makes numbers of it, where the function that has it as its argument makes a native histogram. */
  readonly numbers?: string;
}

/**
 * @param expr with underscores, and of classic histograms
 * @throws Error where the expression cannot be translated
 */
export function translate(expr: string, target: Target): string {
  try {
    return print(parse(expr), target).text;
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${expr}`);
  }
}

/** The attribute that a label is called by, where names have dots and it has one. */
export function dottedLabel(label: string, { naming }: Target): string | undefined {
  const attribute = naming === 'underscores' ? undefined : ATTRIBUTES_BY_LABEL.get(label);
  return attribute?.includes('.') ? attribute : undefined;
}

function parse(expr: string): Node[] {
  const outermost: Group = { open: '', close: '', items: [] };
  const opened = [outermost];
  for (let position = 0; position < expr.length; ) {
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(expr)?.[0];
    const group = opened.at(-1);
    if (token === undefined || group === undefined)
      throw new Error(`no PromQL from character ${position} on`);
    position += token.length;
    const close = CLOSING[token];
    if (close !== undefined) {
      const inner = { open: token, close, items: [] };
      group.items.push(inner);
      opened.push(inner);
    } else if (token === group.close) opened.pop();
    else if (')]}'.includes(token)) throw new Error('a bracket that was not opened');
    else group.items.push(token);
  }
  if (opened.length !== 1) throw new Error('brackets that are not closed');
  return outermost.items;
}

/** @param inside the function whose arguments these are */
function print(items: readonly Node[], target: Target, inside?: string): Omit<Printed, 'end'> {
  let text = '';
  let numbers: string | undefined;
  for (let index = 0; index < items.length; ) {
    const printed = printNext(items, index, target, inside);
    text += printed.text;
    numbers ??= printed.numbers;
    index = printed.end;
  }
  return numbers === undefined ? { text } : { text, numbers };
}

function printNext(items: readonly Node[], index: number, target: Target, inside?: string): Printed {
  const item = items[index] ?? '';
  const selector = selectorAt(items, index, target);
  if (selector) return printSelector(selector, items, target, inside);
  if (typeof item !== 'string')
    return { text: item.open + print(item.items, target).text + item.close, end: index + 1 };
  if (BEFORE_LABELS.has(item)) {
    const list = skipSpace(items, index + 1);
    const group = items[list];
    if (!isGroup(group, '(')) throw new Error(`no labels after "${item}"`);
    const labels = labelsOf(group, target);
    // Space would be left where there were none but `le`.
    if (labels.length === 0 && group.items.length > 0) return { text: '', end: skipSpace(items, list + 1) };
    const before = items.slice(index, list).join('');
    return { text: `${before}(${labels.join(', ')})`, end: list + 1 };
  }
  if (inside === LABEL_REPLACE && item.startsWith('"'))
    return { text: `"${dottedLabel(item.slice(1, -1), target) ?? item.slice(1, -1)}"`, end: index + 1 };
  const args = items[index + 1];
  if (!NAME.test(item) || !isGroup(args, '(')) return { text: item, end: index + 1 };
  if (item === LABEL_VALUES) return { text: printLabelValues(args, target), end: index + 2 };
  const { text, numbers } = print(args.items, target, item);
  const call = `${item}(${text})`;
  return { text: numbers === undefined ? call : `${numbers}(${call})`, end: index + 2 };
}

function labelsOf({ items }: Group, target: Target): string[] {
  return split(items)
    .map((label) => label.join('').trim())
    .filter((label) => label !== '' && !(label === LE && target.hasNativeHistograms))
    .map((label) => inPromql(label, target));
}

/** A label as it stands in PromQL. */
function inPromql(label: string, target: Target): string {
  const dotted = dottedLabel(label, target);
  return dotted === undefined ? label : `"${dotted}"`;
}

/** Grafana's query for what a variable offers: of a selector, not of an expression. */
function printLabelValues({ items }: Group, target: Target): string {
  const label = items.at(-1);
  if (typeof label !== 'string') throw new Error(`no label in ${LABEL_VALUES}`);
  const selector = selectorAt(items, 0, target);
  const dotted = dottedLabel(label, target);
  // As it stands in Prometheus' URLs, since not every Grafana escapes dots there.
  const escaped = dotted && `U__${dotted.replaceAll('_', '__').replaceAll('.', '_2e_')}`;
  return `${LABEL_VALUES}(${selector ? `${selector.text}, ` : ''}${escaped ?? label})`;
}

/** The selector that begins there, if one does, without its range and offset. */
function selectorAt(items: readonly Node[], index: number, target: Target): Selector | undefined {
  const first = items[index];
  const name = typeof first === 'string' && NAME.test(first) ? first : undefined;
  const braces = name === undefined ? first : items[index + 1];
  const hasBraces = isGroup(braces, '{');
  if (!hasBraces && (name === undefined || !SERIES.has(name))) return undefined;
  const matchers = hasBraces ? split(braces.items).map(matcherOf) : [];
  const pattern = name ?? matchers.find(({ label }) => label === '__name__')?.value.slice(1, -1) ?? '';
  const series = SERIES.get(pattern);
  if (name === undefined && series === undefined)
    throw new Error(`no metric of the conventions is called "${pattern}"`);
  const isNative = target.hasNativeHistograms && series?.part !== undefined;
  if (isNative && matchers.some(({ label }) => label === LE))
    throw new Error('a native histogram has no "le"');
  const conditions = matchers
    .filter(({ label }) => label !== '__name__')
    .map(({ label, operator, value }) => `${inPromql(label, target)}${operator}${value}`);
  return {
    text: named(isNative ? { metric: series.metric } : series, pattern, conditions, target),
    end: index + (name === undefined ? 1 : hasBraces ? 2 : 1),
    ...(isNative && series.part !== undefined ? { part: series.part } : {}),
  };
}

function named(
  series: Series | undefined,
  pattern: string,
  conditions: readonly string[],
  { naming }: Target,
): string {
  if (series && naming !== 'underscores')
    return `{${[`"${dottedName(series.metric, naming, series.part)}"`, ...conditions].join(', ')}}`;
  const name = series ? namePattern(series.metric, series.part) : pattern;
  if (name.includes('(')) return `{${[`__name__=~"${name}"`, ...conditions].join(', ')}}`;
  return conditions.length === 0 ? name : `${name}{${conditions.join(', ')}}`;
}

/** A condition on a label; the value with its quotes. */
function matcherOf(items: readonly Node[]): { label: string; operator: string; value: string } {
  const [label, operator, value, ...rest] = items.filter((item) => isGroup(item) || item.trim() !== '');
  if (
    typeof label !== 'string' ||
    typeof operator !== 'string' ||
    typeof value !== 'string' ||
    rest.length > 0
  )
    throw new Error('a condition on a label that is not understood');
  return { label, operator, value };
}

/** A selector with its range, and the number of a native histogram in the place of the series that held it. */
function printSelector(
  { text, end, part }: Selector,
  items: readonly Node[],
  target: Target,
  inside = '',
): Printed {
  if (part === undefined) return { text, end };
  const range = items[end];
  if (!isGroup(range, '[')) {
    if (part === 'bucket') throw new Error('buckets without increase() or rate()');
    const offset = afterOffset(items, end);
    return { text: `${NUMBER_OF[part]}(${text}${items.slice(end, offset).join('')})`, end: offset };
  }
  const isSubquery = range.items.includes(':');
  if (!isSubquery && OF_ANYTHING.has(inside)) return { text, end };
  if (!isSubquery && OF_HISTOGRAMS.has(inside))
    return part === 'bucket' ? { text, end } : { text, end, numbers: NUMBER_OF[part] };
  if (part === 'bucket') throw new Error('buckets without increase() or rate()');
  // Other functions, such as max_over_time(), know numbers only. There is one for each of Prometheus' evaluation intervals.
  const window = print(range.items, target).text;
  return { text: `${NUMBER_OF[part]}(${text})[${window}${isSubquery ? '' : ':'}]`, end: end + 1 };
}

/** The index after `offset …`, where there is one. */
function afterOffset(items: readonly Node[], index: number): number {
  const word = skipSpace(items, index);
  if (items[word] !== 'offset') return index;
  const duration = skipSpace(items, word + 1);
  return duration + (items[duration] === '-' ? 2 : 1);
}

function skipSpace(items: readonly Node[], index: number): number {
  const item = items[index];
  return typeof item === 'string' && item.trim() === '' ? index + 1 : index;
}

function isGroup(node: Node | undefined, open?: string): node is Group {
  return typeof node === 'object' && (open === undefined || node.open === open);
}

/** Parts between commas. */
function split(items: readonly Node[]): Node[][] {
  const parts: Node[][] = [[]];
  for (const item of items) {
    if (item === ',') parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts.filter((part) => part.length > 0);
}
