/** The tables of `docs/semantic-conventions.md`, each by its name between the markers there. */
import { OPERATIONS } from '../../src/operations/table.js';
import * as semconv from '../../src/semconv.js';
import { type AttributeDefinition, definitionOf } from './attributes.js';
import {
  type AttributeUse,
  LOG_ATTRIBUTES,
  METRICS,
  type Presence,
  pointAttributes,
  SPAN_ATTRIBUTES,
} from './signals.js';

export type Row = readonly string[];

/** OpenTelemetry's attributes, as ours use them. */
const STANDARD: Readonly<Record<string, Pick<AttributeDefinition, 'brief'> & { readonly type: string }>> = {
  [semconv.ATTR_PROCESS_EXIT_CODE]: { type: 'int', brief: 'Exit code of the command.' },
  [semconv.ATTR_ERROR_TYPE]: { type: 'string', brief: 'Class of the failure, by section 4.' },
  [semconv.ATTR_EXCEPTION_TYPE]: { type: 'string', brief: 'Name of the class of the error.' },
  [semconv.ATTR_EXCEPTION_MESSAGE]: { type: 'string', brief: 'Message of the error.' },
  [semconv.ATTR_EXCEPTION_STACKTRACE]: { type: 'string', brief: 'Stack of the error.' },
  [semconv.ATTR_NETWORK_IO_DIRECTION]: {
    type: 'string',
    brief: '`transmit` to the sandbox, `receive` from it.',
  },
};

/** Attributes whose values have a table of their own. */
const SECTIONS: Readonly<Record<string, string>> = {
  [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: 'section 1',
  [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: 'section 3',
  [semconv.ATTR_PAPERCLIP_LEASE_END]: 'section 3',
  [semconv.ATTR_PAPERCLIP_LEASE_RUN]: 'below',
  [semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG]: 'section 4',
  [semconv.ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: 'below',
};

/** Rows of each table, its head first. */
export function tables(): Record<string, readonly Row[]> {
  return {
    operations: operationRows(),
    'span attributes': [['attribute', 'type', 'present', 'what it is'], ...SPAN_ATTRIBUTES.map(useRow)],
    'lease shapes': valueRows(semconv.ATTR_PAPERCLIP_LEASE_SHAPE),
    'lease ends': valueRows(semconv.ATTR_PAPERCLIP_LEASE_END),
    'background tags': valueRows(semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG),
    'log attributes': [['attribute', 'type', 'present', 'what it is'], ...LOG_ATTRIBUTES.map(useRow)],
    metrics: [['name', 'instrument', 'unit', 'attributes'], ...METRICS.map(metricRow)],
    'metric attributes': metricAttributeRows(),
    'lease runs': valueRows(semconv.ATTR_PAPERCLIP_LEASE_RUN),
    boundaries: boundaryRows(),
    'reacquire outcomes': valueRows(semconv.ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME),
  };
}

function operationRows(): Row[] {
  const head = [code(semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME), 'service method', 'driver method'];
  const method = (name: string | undefined) => (name === undefined ? '' : code(name));
  return [
    head,
    ...OPERATIONS.map((row) => [code(row.name), method(row.method.service), method(row.method.driver)]),
  ];
}

function useRow({ name, presence, atStart }: AttributeUse): Row {
  const { type, brief } = meaningOf(name);
  return [code(name) + (atStart ? ' S' : ''), type, present(presence), brief + valuesOf(name)];
}

function metricRow(metric: semconv.MetricDefinition): Row {
  const instruments = {
    histogram: 'Histogram',
    counter: 'Counter',
    updowncounter: 'UpDownCounter',
    gauge: 'Gauge',
  };
  const uses = pointAttributes(metric).map(({ name, presence }) =>
    typeof presence === 'string' ? code(name) : `${code(name)} ${presence.where}`,
  );
  return [code(metric.name), instruments[metric.instrument], code(metric.unit), uses.join(', ')];
}

/** Of the attributes that no span has. */
function metricAttributeRows(): Row[] {
  const onSpans = new Set(SPAN_ATTRIBUTES.map(({ name }) => name));
  const names = new Set(METRICS.flatMap(({ attributes }) => attributes));
  const rest = [...names].filter((name) => !onSpans.has(name));
  return [
    ['attribute', 'what it is'],
    ...rest.map((name) => [code(name), meaningOf(name).brief + valuesOf(name)]),
  ];
}

function boundaryRows(): Row[] {
  const histograms = METRICS.flatMap(({ name, boundaries }) =>
    boundaries === undefined ? [] : [{ name, list: boundaries.join(', ') }],
  );
  const lists = [...new Set(histograms.map(({ list }) => list))];
  const namesWith = (list: string) =>
    histograms.filter((histogram) => histogram.list === list).map(({ name }) => code(name));
  return [['histograms', 'boundaries'], ...lists.map((list) => [namesWith(list).join(', '), list])];
}

function valueRows(name: string): Row[] {
  const values = definitionOf(name)?.values ?? [];
  return [[code(name), 'meaning'], ...values.map(({ value, meaning = '' }) => [code(value), meaning])];
}

function meaningOf(name: string): { readonly type: string; readonly brief: string } {
  const meaning = definitionOf(name) ?? STANDARD[name];
  if (meaning !== undefined) return meaning;
  const file = name.startsWith('paperclip.') ? 'attributes.ts' : 'tables.ts, STANDARD';
  throw new Error(`no meaning of ${name}: registry/src/${file}`);
}

function valuesOf(name: string): string {
  const values = definitionOf(name)?.values;
  if (values === undefined) return '';
  return ` Values: ${SECTIONS[name] ?? values.map(({ value }) => code(value)).join(', ')}.`;
}

function present(presence: Presence): string {
  if (presence === 'always') return 'always';
  return presence === 'known' ? 'where known' : presence.where;
}

function code(text: string): string {
  return `\`${text}\``;
}
