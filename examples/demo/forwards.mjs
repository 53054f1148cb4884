// @ts-check
/** What Paperclip's bridge tells of its channels, as the metrics have it, and the table that shows it. */
import {
  ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME,
  ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS,
  ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  FORWARD_OUTCOMES,
  METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { describe, entries, zeroes } from './counts.mjs';
import { forwardRow, leakRow, lossRow } from './ledger.mjs';
import { byProvider, counterPoints, histogramPoints } from './points.mjs';
import { table } from './terminal.mjs';

/** @import { metrics } from '@opentelemetry/sdk-node' */
/** @import { Count, ForwardOutcome, LossClass, LossReason } from './ledger.mjs' */

/**
 * @typedef {object} Forwards of one provider
 * @property {string} provider
 * @property {Record<ForwardOutcome, number>} requests
 * @property {{ lossClass: LossClass, reason: LossReason, count: number }[]} losses
 * @property {number} leaks
 */

/**
 * @param {metrics.ResourceMetrics} collected
 * @returns {Forwards[]} one for each provider
 */
export function readForwards(collected) {
  const forwards = byProvider((provider) => ({
    provider,
    requests: zeroes(FORWARD_OUTCOMES),
    losses: /** @type {Forwards['losses']} */ ([]),
    leaks: 0,
  }));
  for (const { attributes, value } of histogramPoints(collected, METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION)) {
    /** @type {ForwardOutcome} */
    const outcome = attributes[ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME];
    forwards.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).requests[outcome] = value.count;
  }
  for (const { attributes, value } of counterPoints(collected, METRIC_PAPERCLIP_DUPLEX_LOSSES)) {
    forwards.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).losses.push({
      lossClass: attributes[ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS],
      reason: attributes[ATTR_PAPERCLIP_DUPLEX_LOSS_REASON],
      count: value,
    });
  }
  for (const { attributes, value } of counterPoints(collected, METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS)) {
    forwards.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).leaks = value;
  }
  return forwards.sorted();
}

/**
 * @param {readonly Forwards[]} forwards
 * @returns {{ forwarded: Count[], lost: Count[], leaked: Count[] }} every number of the table as a row of the ledger
 */
export function forwardCounts(forwards) {
  return {
    forwarded: forwards.flatMap(({ provider, requests }) =>
      entries(requests).map(([outcome, count]) => [forwardRow(provider, outcome), count]),
    ),
    lost: forwards.flatMap(({ provider, losses }) =>
      losses.map(({ lossClass, reason, count }) => [lossRow(provider, lossClass, reason), count]),
    ),
    leaked: forwards.map(({ provider, leaks }) => [leakRow(provider), leaks]),
  };
}

/**
 * @param {readonly Forwards[]} forwards
 * @returns {string[]} the lines of the table
 */
export function forwardsTable(forwards) {
  return table(
    [
      { title: 'provider' },
      { title: 'forwarded requests' },
      { title: 'channels lost' },
      { title: 'sessions left over', align: 'right' },
    ],
    forwards.map(({ provider, requests, losses, leaks }) => [
      provider,
      describe(requests),
      losses.map(({ lossClass, reason, count }) => `${count} ${lossClass} ${reason}`).join(', ') || '-',
      String(leaks),
    ]),
  );
}
