// @ts-check
/** What the demo prints: traces, metrics, and whether the metrics agree with the traffic's ledger. */
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION } from 'opentelemetry-instrumentation-paperclip/semconv';
import { metricsTable, readOperations } from './metrics.mjs';
import { paint } from './terminal.mjs';
import { traceTrees } from './traces.mjs';

/** @import { Ledger } from './ledger.mjs' */
/** @import { Telemetry } from './telemetry.mjs' */

/** @param {Telemetry} telemetry */
export async function printReport({ spans, collect }) {
  printSection('Traces', 'one of each kind, those with failures first', traceTrees(spans));
  const { name } = METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION;
  printSection('Metrics', `the points of ${name}`, metricsTable(readOperations(await collect())));
}

/**
 * Holds the metrics against the ledger and prints the result.
 *
 * @param {Telemetry} telemetry
 * @param {Ledger} ledger
 * @returns {Promise<boolean>} whether they agree
 */
export async function printAgreement({ collect }, ledger) {
  const operations = readOperations(await collect());
  const differences = ledger.differences(operations);
  if (differences.length > 0) {
    console.error(paint('red', ['ledger and metrics do not agree:', ...differences].join('\n  ')));
    return false;
  }
  const total = operations.reduce((sum, { count }) => sum + count, 0);
  console.log(paint('green', `ledger and metrics agree: ${total} operations`));
  return true;
}

/**
 * @param {string} title
 * @param {string} hint
 * @param {readonly string[]} lines
 */
function printSection(title, hint, lines) {
  console.log([`${paint('bold', title)}  ${paint('dim', hint)}`, '', ...lines, ''].join('\n'));
}
