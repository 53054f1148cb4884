// @ts-check
/** The traces as trees that a person can read: one example of each kind, failures and recoveries first. */
import { SpanStatusCode } from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_ERROR_SLUG,
  ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  ATTR_PROCESS_EXIT_CODE,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { FAILED, formatDuration, paint } from './terminal.mjs';

/** @import { Attributes } from '@opentelemetry/api' */
/** @import { tracing } from '@opentelemetry/sdk-node' */

/**
 * @typedef {object} Node
 * @property {tracing.ReadableSpan} span
 * @property {Node[]} children
 * @property {tracing.ReadableSpan} [failure] the span that this one links to, as the recovery from it
 */

/** @typedef {{ example: Node, count: number, isNotable: boolean }} Kind */

const SHOWN = 12;
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
  const what = rest.some(({ isNotable }) => isNotable) ? '' : ', without a failure or a recovery';
  return [...lines, paint('dim', `… and ${rest.length} more kinds of trace, ${traces} in all${what}`)];
}

/**
 * @param {readonly tracing.ReadableSpan[]} spans
 * @returns {Node[]} the root of each trace
 */
function buildTrees(spans) {
  const nodes = new Map(
    spans.map((span) => [span.spanContext().spanId, /** @type {Node} */ ({ span, children: [] })]),
  );
  for (const node of nodes.values()) {
    const failure = nodes.get(node.span.links[0]?.context.spanId ?? '');
    if (failure) node.failure = failure.span;
  }
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
 * @returns {Kind[]} those with failures or recoveries first, then the most frequent
 */
function groupByKind(roots) {
  /** @type {Map<string, Kind>} */
  const kinds = new Map();
  for (const example of roots) {
    const nodes = flatten(example);
    const signature = JSON.stringify(nodes.map(({ span }) => signatureOf(span)));
    const kind = kinds.get(signature) ?? { example, count: 0, isNotable: nodes.some(isNotable) };
    kind.count += 1;
    kinds.set(signature, kind);
  }
  return [...kinds.values()].sort((a, b) => Number(b.isNotable) - Number(a.isNotable) || b.count - a.count);
}

/**
 * @param {Node} node
 * @returns {Node[]} it and everything below it
 */
function flatten(node) {
  return [node, ...node.children.flatMap(flatten)];
}

/** @param {Node} node */
function isNotable({ span }) {
  return hasFailed(span) || span.attributes[ATTR_PAPERCLIP_RECOVERY_KIND] !== undefined;
}

/** @param {tracing.ReadableSpan} span */
function hasFailed({ status }) {
  return status.code === SpanStatusCode.ERROR;
}

/** @param {tracing.ReadableSpan} span */
function signatureOf({ name, attributes }) {
  const told = [ATTR_PAPERCLIP_LEASE_SHAPE, ATTR_ERROR_TYPE, ATTR_PAPERCLIP_ERROR_SLUG];
  return [name, ...told.map((attribute) => attributes[attribute])];
}

/** @param {Kind} kind */
function renderKind({ example, count }) {
  const { span } = example;
  const end = hasFailed(span) ? paint('red', `${FAILED} failed`) : '';
  const title = `${paint('bold', span.name)}  ${paint('dim', `${count}×, for example:`)} ${end}`;
  return [title.trimEnd(), ...renderChildren(example, '')];
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
      ...[...explainRecovery(child), ...explainFailure(child)].map((line) =>
        paint('dim', `${below}  ${line}`),
      ),
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
function explainRecovery({ span, failure }) {
  const kind = span.attributes[ATTR_PAPERCLIP_RECOVERY_KIND];
  if (kind === undefined) return [];
  if (failure) return [`↩ ${kind}: recovers from ${failure.name} above`];
  return [`↩ ${kind} before any open was refused: the lease alone told that it would be`];
}

/** @param {Node} node */
function explainFailure({ span: { attributes } }) {
  const slug = attributes[ATTR_PAPERCLIP_ERROR_SLUG];
  if (slug === undefined) return [];
  const missing = attributes[ATTR_PAPERCLIP_LEASE_MISSING_FIELDS];
  const lacks = typeof missing === 'string' ? [`the lease lacks ${missing.replaceAll(',', ', ')}`] : [];
  return [`error record: ${slug}`, ...lacks];
}
