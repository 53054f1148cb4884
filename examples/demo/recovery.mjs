// @ts-check
/** Fallbacks and re-acquires as the metrics tell of them, and the table that shows them. */
import {
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  DUPLEX_OUTCOMES,
  FALLBACK_REASONS_BY_DESIGN,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  REACQUIRE_OUTCOMES,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { describe, entries, percentage, sum, zeroes } from './counts.mjs';
import { BY_DESIGN, reacquireRow, requestRow } from './ledger.mjs';
import { byProvider, counterPoints } from './points.mjs';
import { table } from './terminal.mjs';

/** @import { metrics } from '@opentelemetry/sdk-node' */
/** @import { ReacquireOutcome } from 'opentelemetry-instrumentation-paperclip/semconv' */
/** @import { Count, RequestEnd } from './ledger.mjs' */

/**
 * @typedef {object} Recovery of one provider
 * @property {string} provider
 * @property {Record<RequestEnd, number>} requests
 * @property {Record<ReacquireOutcome, number>} reacquires
 */

/** What the two rates mean to who operates the server. */
export const EXPLANATION = [
  'Fallback rate: how much of the work that wanted a channel was done without one, slower but done. Where it',
  'rises, leases are not of a plug-in, or their driver has no channels. What is by design is left out.',
  'Re-acquire success: how often a fresh lease cured one that lacked a field, where somebody asked for one. Where',
  'it falls, retrying does not help: the provider grants no lease, or its plug-in is too old for the server.',
];

/**
 * @param {metrics.ResourceMetrics} collected
 * @returns {Recovery[]} one for each provider
 */
export function readRecovery(collected) {
  const recoveries = byProvider((provider) => ({
    provider,
    requests: zeroes([...DUPLEX_OUTCOMES, BY_DESIGN]),
    reacquires: zeroes(REACQUIRE_OUTCOMES),
  }));
  for (const { attributes, value } of counterPoints(collected, METRIC_PAPERCLIP_DUPLEX_REQUESTS)) {
    const isByDesign = FALLBACK_REASONS_BY_DESIGN.includes(attributes[ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]);
    /** @type {RequestEnd} */
    const end = isByDesign ? BY_DESIGN : attributes[ATTR_PAPERCLIP_DUPLEX_OUTCOME];
    recoveries.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).requests[end] += value;
  }
  for (const { attributes, value } of counterPoints(collected, METRIC_PAPERCLIP_LEASE_REACQUIRES)) {
    /** @type {ReacquireOutcome} */
    const outcome = attributes[ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME];
    recoveries.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).reacquires[outcome] += value;
  }
  return recoveries.sorted();
}

/**
 * @param {readonly Recovery[]} recoveries
 * @returns {{ requests: Count[], reacquires: Count[] }} every number of the table as a row of the ledger
 */
export function recoveryCounts(recoveries) {
  return {
    requests: recoveries.flatMap(({ provider, requests }) =>
      entries(requests).map(([end, count]) => [requestRow(provider, end), count]),
    ),
    reacquires: recoveries.flatMap(({ provider, reacquires }) =>
      entries(reacquires).map(([outcome, count]) => [reacquireRow(provider, outcome), count]),
    ),
  };
}

/**
 * @param {readonly Recovery[]} recoveries
 * @returns {string[]} the lines of the table
 */
export function recoveryTable(recoveries) {
  return table(
    [
      { title: 'provider' },
      { title: 'total', align: 'right' },
      { title: 'opened', align: 'right' },
      { title: 'fallback', align: 'right' },
      { title: 'failed', align: 'right' },
      { title: 'by design', align: 'right' },
      { title: 'fallback rate', align: 'right' },
      { title: 're-acquires' },
      { title: 'success', align: 'right' },
    ],
    recoveries.map(({ provider, requests, reacquires }) => [
      provider,
      String(sum(requests)),
      String(requests.opened),
      String(requests.fallback),
      String(requests.failed),
      String(requests.by_design),
      percentage(requests.fallback, requests.opened + requests.fallback + requests.failed),
      describe(reacquires),
      percentage(reacquires.succeeded, sum(reacquires) - reacquires.not_attempted - reacquires.not_retried),
    ]),
  );
}
