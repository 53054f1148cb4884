// @ts-check
/** The traces as trees that a person can read: one example of each kind, those with failures first. */
import { SpanStatusCode } from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_ERROR_SLUG,
  ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  ATTR_PROCESS_EXIT_CODE,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { FAILED, formatDuration, paint } from './terminal.mjs';

/** @import { Attributes } from '@opentelemetry/api' */
/** @import { tracing } from '@opentelemetry/sdk-node' */

/** @typedef {{ span: tracing.ReadableSpan, children: Node[] }} Node */
/** @typedef {{ example: Node, count: number, failed: boolean }} Kind */

const SHOWN = 5;
/** Where the columns after the tree start. */
const NAME_WIDTH = 36;

/**
 * @param {readonly tracing.ReadableSpan[]} spans
 * @returns {string[]} the lines of the report
 */
export function traceTrees(spans) {
  const kinds = groupByKind(buildTrees(spans));
  const rest = kinds.splice(SHOWN);
  const lines = kinds.flatMap((kind) => [...renderKind(kind), '']);
  if (rest.length === 0) return lines;
  const traces = rest.reduce((sum, { count }) => sum + count, 0);
  const failures = rest.some(({ failed }) => failed) ? '' : ', none with a failure';
  return [...lines, paint('dim', `… and ${rest.length} more kinds of trace, ${traces} in all${failures}`)];
}

/**
 * @param {readonly tracing.ReadableSpan[]} spans
 * @returns {Node[]} the root of each trace
 */
function buildTrees(spans) {
  const nodes = new Map(
    spans.map((span) => [span.spanContext().spanId, /** @type {Node} */ ({ span, children: [] })]),
  );
  const byStart = [...nodes.values()].sort((a, b) => startOf(a) - startOf(b));
  return byStart.filter((node) => {
    const parent = nodes.get(node.span.parentSpanContext?.spanId ?? '');
    parent?.children.push(node);
    return parent === undefined;
  });
}

/** @param {Node} node */
function startOf({ span: { startTime } }) {
  return startTime[0] * 1e3 + startTime[1] / 1e6;
}

/**
 * Traces are of one kind when they differ in nothing but ids, provider and time.
 *
 * @param {readonly Node[]} roots
 * @returns {Kind[]} those with failures first, then the most frequent
 */
function groupByKind(roots) {
  /** @type {Map<string, Kind>} */
  const kinds = new Map();
  for (const example of roots) {
    const signature = JSON.stringify(flatten(example).map(({ span }) => signatureOf(span)));
    const kind = kinds.get(signature) ?? { example, count: 0, failed: flatten(example).some(hasFailed) };
    kind.count += 1;
    kinds.set(signature, kind);
  }
  return [...kinds.values()].sort((a, b) => Number(b.failed) - Number(a.failed) || b.count - a.count);
}

/**
 * @param {Node} node
 * @returns {Node[]} it and everything below it
 */
function flatten(node) {
  return [node, ...node.children.flatMap(flatten)];
}

/** @param {Node} node */
function hasFailed({ span }) {
  return span.status.code === SpanStatusCode.ERROR;
}

/** @param {tracing.ReadableSpan} span */
function signatureOf({ name, attributes }) {
  return [name, attributes[ATTR_PAPERCLIP_LEASE_SHAPE], attributes[ATTR_PAPERCLIP_ERROR_SLUG]];
}

/** @param {Kind} kind */
function renderKind({ example, count }) {
  const title = `${paint('bold', example.span.name)}  ${paint('dim', `${count}×, for example:`)}`;
  return [title, ...renderChildren(example, '')];
}

/**
 * @param {Node} node
 * @param {string} indent
 * @returns {string[]}
 */
function renderChildren({ children }, indent) {
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    const below = indent + (isLast ? '   ' : '│  ');
    return [
      renderSpan(child, indent + (isLast ? '└─ ' : '├─ ')),
      ...explainFailure(child).map((line) => paint('dim', `${below}  ${line}`)),
      ...renderChildren(child, below),
    ];
  });
}

/**
 * @param {Node} node
 * @param {string} branch what stands before the span's name
 */
function renderSpan({ span: { name, attributes, duration } }, branch) {
  return [
    paint('dim', branch) + name.padEnd(NAME_WIDTH - branch.length),
    formatDuration(duration[0] + duration[1] / 1e9).padStart(7),
    String(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER] ?? '').padEnd(10),
    String(attributes[ATTR_PAPERCLIP_LEASE_SHAPE] ?? '').padEnd(17),
    describeOutcome(attributes),
  ]
    .join('  ')
    .trimEnd();
}

/** @param {Attributes} attributes */
function describeOutcome(attributes) {
  const errorType = attributes[ATTR_ERROR_TYPE];
  if (errorType !== undefined) return paint('red', `${FAILED} ${errorType}`);
  const exitCode = attributes[ATTR_PROCESS_EXIT_CODE];
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  return String(attributes[ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME] ?? '');
}

/** @param {Node} node */
function explainFailure({ span: { attributes } }) {
  const slug = attributes[ATTR_PAPERCLIP_ERROR_SLUG];
  if (slug === undefined) return [];
  const missing = attributes[ATTR_PAPERCLIP_LEASE_MISSING_FIELDS];
  const lacks = Array.isArray(missing) ? [`the lease lacks ${missing.join(', ')}`] : [];
  return [`error record: ${slug}`, ...lacks];
}
