// @ts-check
/** What the demo prints: traces, metrics, and whether the metrics agree with the traffic's ledger. */
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION } from 'opentelemetry-instrumentation-paperclip/semconv';
import { channelCounts, channelsTable, readChannels } from './channels.mjs';
import { forwardCounts, forwardsTable, readForwards } from './forwards.mjs';
import { operationRow } from './ledger.mjs';
import { operationsTable, readOperations } from './operations.mjs';
import { EXPLANATION, readRecovery, recoveryCounts, recoveryTable } from './recovery.mjs';
import { paint } from './terminal.mjs';
import { traceTrees } from './traces.mjs';

/** @import { Count, Ledger } from './ledger.mjs' */
/** @import { Telemetry } from './telemetry.mjs' */

/** @param {Telemetry} telemetry */
export async function printReport({ spans, collect }) {
  const collected = await collect();
  const { name } = METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION;
  printSection('Traces', 'one of each kind, failures and recoveries first', traceTrees(spans));
  printSection('Operations', `the points of ${name}`, operationsTable(readOperations(collected)));
  printSection('Recovery', 'how each wish for a duplex channel ended, and whether a fresh lease helped', [
    ...recoveryTable(readRecovery(collected)),
    '',
    ...EXPLANATION.map((line) => paint('dim', line)),
  ]);
  printSection('Channels', 'those that were opened', channelsTable(readChannels(collected)));
  printSection('Bridge', 'what Paperclip tells of its channels', forwardsTable(readForwards(collected)));
}

/**
 * Holds the metrics against the ledger and prints the result.
 *
 * @param {Telemetry} telemetry
 * @param {Ledger} ledger
 * @returns {Promise<boolean>} whether they agree
 */
export async function printAgreement({ collect }, ledger) {
  const collected = await collect();
  const operations = readOperations(collected).map((row) => count(operationRow(row), row.count));
  const { requests, reacquires } = recoveryCounts(readRecovery(collected));
  const { ended, bytes } = channelCounts(readChannels(collected));
  const { forwarded, lost, leaked } = forwardCounts(readForwards(collected));
  const channels = [...ended, ...bytes, ...forwarded, ...lost, ...leaked];
  const differences = ledger.differences([...operations, ...requests, ...reacquires, ...channels]);
  if (differences.length > 0) {
    console.error(paint('red', ['ledger and metrics do not agree:', ...differences].join('\n  ')));
    return false;
  }
  const totals = [
    `${total(operations)} operations`,
    `${total(requests)} requests for a channel`,
    `${total(reacquires)} re-acquires`,
    `${total(ended)} channels (${total(lost)} lost)`,
  ];
  console.log(paint('green', `ledger and metrics agree: ${totals.join(', ')}`));
  return true;
}

/**
 * @param {string} row
 * @param {number} number
 * @returns {Count}
 */
function count(row, number) {
  return [row, number];
}

/** @param {readonly Count[]} counts */
function total(counts) {
  return counts.reduce((sum, [, number]) => sum + number, 0);
}

/**
 * @param {string} title
 * @param {string} hint
 * @param {readonly string[]} lines
 */
function printSection(title, hint, lines) {
  console.log([`${paint('bold', title)}  ${paint('dim', hint)}`, '', ...lines, ''].join('\n'));
}
