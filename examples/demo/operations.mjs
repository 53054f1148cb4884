// @ts-check
/** The operations as the metrics tell of them, and the table that shows them. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  OPERATION_NAMES,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { OK } from './ledger.mjs';
import { histogramPoints } from './points.mjs';
import { FAILED, formatDuration, paint, table } from './terminal.mjs';

/** @import { metrics } from '@opentelemetry/sdk-node' */
/** @import { OperationKind } from './ledger.mjs' */
/** @import { Point } from './points.mjs' */

/** @typedef {OperationKind & { count: number, failed: boolean, p95: number }} OperationRow */

/**
 * @param {metrics.ResourceMetrics} collected
 * @returns {OperationRow[]} one row for each point of the duration histogram
 */
export function readOperations(collected) {
  return histogramPoints(collected, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION)
    .map(readPoint)
    .sort(compareRows);
}

/**
 * @param {Point<metrics.Histogram>} point
 * @returns {OperationRow}
 */
function readPoint({ attributes, value }) {
  const errorType = attributes[ATTR_ERROR_TYPE];
  return {
    operation: attributes[ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME],
    driver: attributes[ATTR_PAPERCLIP_ENVIRONMENT_DRIVER],
    provider: attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
    shape: attributes[ATTR_PAPERCLIP_LEASE_SHAPE],
    outcome: errorType ?? attributes[ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME] ?? OK,
    failed: errorType !== undefined,
    count: value.count,
    p95: estimateQuantile(0.95, value),
  };
}

/**
 * What Prometheus' `histogram_quantile` would answer: exact to the bucket, a straight line inside it.
 *
 * @param {number} quantile
 * @param {metrics.Histogram} histogram
 */
function estimateQuantile(quantile, { buckets: { boundaries, counts }, count }) {
  const rank = quantile * count;
  let below = 0;
  for (const [index, boundary] of boundaries.entries()) {
    const inside = counts[index] ?? 0;
    const lower = boundaries[index - 1] ?? 0;
    if (below + inside >= rank) return lower + (boundary - lower) * ((rank - below) / inside);
    below += inside;
  }
  return boundaries.at(-1) ?? Number.NaN;
}

/** @param {OperationRow} a @param {OperationRow} b */
function compareRows(a, b) {
  return (
    OPERATION_NAMES.indexOf(a.operation) - OPERATION_NAMES.indexOf(b.operation) ||
    sortKey(a).localeCompare(sortKey(b))
  );
}

/** @param {OperationRow} row */
function sortKey({ driver = '', provider = '', shape, outcome }) {
  return [driver, provider.toLowerCase(), shape, outcome].join('\t');
}

/**
 * @param {readonly OperationRow[]} rows
 * @returns {string[]} the lines of the table
 */
export function operationsTable(rows) {
  return table(
    [
      { title: 'operation' },
      { title: 'driver' },
      { title: 'provider' },
      { title: 'lease shape' },
      { title: 'outcome', paint: (cell) => (cell.startsWith(FAILED) ? paint('red', cell) : cell) },
      { title: 'count', align: 'right' },
      { title: '~p95', align: 'right' },
    ],
    rows.map((row, index) => [
      rows[index - 1]?.operation === row.operation ? '' : row.operation,
      row.driver ?? '-',
      row.provider ?? '-',
      row.shape,
      row.failed ? `${FAILED} ${row.outcome}` : row.outcome,
      String(row.count),
      formatDuration(row.p95),
    ]),
  );
}
