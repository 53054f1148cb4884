/** Recovery: what becomes of a request for a channel, of a lease that lacks metadata, and of a channel. */
import {
  ATTR_ERROR_TYPE,
  ATTR_NETWORK_IO_DIRECTION,
  ATTR_PAPERCLIP_DUPLEX_CHANNEL_END,
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME,
  ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS,
  ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  type OperationName,
  type RecoveryKind,
  TAG_MISSING_METADATA_FIELD,
} from '../../../src/semconv.js';
import { LOSS_RATE, REACQUIRE_LOW, REACQUIRE_NOTABLE, TIMING } from '../limits.js';
import { duration, share } from '../promql.js';
import { allRequests, fallbacks, fallbacksByDesign, losses, opened, TRIED } from '../quantities.js';
import { BUCKETS, CHANNEL_IO, COUNTS, ioName, windowsOf } from '../rules/panels.js';
import {
  CHANNEL_END_COLORS,
  DUPLEX_OUTCOME_COLORS,
  FALLBACK_REASON_COLORS,
  FORWARD_COLORS,
  REACQUIRE_COLORS,
} from './colors.js';
import type { DashboardSpec } from './dashboard.js';
import { bars, lines, rows, single } from './panels.js';
import {
  count,
  counted,
  legend,
  RANGE,
  recentQuantile,
  recordedSum,
  STEP,
  shareWithin,
  whole,
} from './queries.js';
import { FAILED_REACQUIRES } from './shares.js';

const REASONS = [ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON];
const OUTCOMES = [ATTR_PAPERCLIP_DUPLEX_OUTCOME];
const REACQUIRE_OUTCOMES = [ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME];
const LOSS_KINDS = [ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS, ATTR_PAPERCLIP_DUPLEX_LOSS_REASON];
const ENDS = [ATTR_PAPERCLIP_DUPLEX_CHANNEL_END];
const FALLBACK = 'fallback' satisfies RecoveryKind;
const OPEN = 'open_duplex_channel' satisfies OperationName;
const REACQUIRE = 'reacquire' satisfies RecoveryKind;

const REQUESTS = [
  bars({
    title: 'Requests for a duplex channel',
    description:
      'How requests ended, in each interval. fallback: the work was done by one-shot commands; failed: it was not done another way, and the agent went away without; cancelled: the run was stopped first.',
    unit: 'short',
    width: 8,
    colors: DUPLEX_OUTCOME_COLORS,
    queries: [{ expr: allRequests({ window: STEP, by: OUTCOMES }, counted), legend: legend(OUTCOMES) }],
  }),
  bars({
    title: 'Reasons of fallbacks',
    description:
      'Why work fell back, in each interval. Names with hyphens are refused opens; ready_… and channel_open_failed are channels that opened and could not be used.',
    unit: 'short',
    width: 8,
    traces: { fixed: { [ATTR_PAPERCLIP_RECOVERY_KIND]: FALLBACK } },
    colors: FALLBACK_REASON_COLORS,
    queries: [{ expr: fallbacks({ window: STEP, by: REASONS }, counted), legend: legend(REASONS) }],
  }),
  bars({
    title: 'Without a channel by design',
    description:
      'Requests that were not meant to have one, in each interval; no rate counts them. gate_off: the setting is off, or the adapter never asks for a channel; capability_absent: the provider’s plug-in has none.',
    unit: 'short',
    width: 8,
    colors: FALLBACK_REASON_COLORS,
    queries: [{ expr: fallbacksByDesign({ window: STEP, by: REASONS }, counted), legend: legend(REASONS) }],
  }),
  rows({
    title: 'Requests by provider, outcome and reason',
    description:
      'All requests in the time shown. A reason that only one provider has is that provider’s; one that all have is the server’s. A provider leads to its opens.',
    unit: 'none',
    width: 24,
    rows: {
      [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'Provider',
      [ATTR_PAPERCLIP_DUPLEX_OUTCOME]: 'Outcome',
      [ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: 'Reason',
      [ATTR_ERROR_TYPE]: 'Error',
    },
    links: {
      [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: {
        fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: OPEN },
        clicked: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
      },
    },
    queries: [
      {
        expr: whole(
          allRequests(
            {
              window: RANGE,
              by: [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, ...OUTCOMES, ...REASONS, ATTR_ERROR_TYPE],
            },
            counted,
          ),
        ),
        legend: 'Requests',
      },
    ],
  }),
];

const REACQUIRES = [
  bars({
    title: 'Outcomes of re-acquires',
    description:
      'How leases that lacked metadata ended, in each interval. still_incomplete: the plug-in writes incomplete leases; acquire_failed: the provider has no capacity or refuses; not_attempted and not_retried: nobody tried, and no rate counts them.',
    unit: 'short',
    width: 8,
    colors: REACQUIRE_COLORS,
    traces: { fixed: { [ATTR_PAPERCLIP_RECOVERY_KIND]: REACQUIRE } },
    queries: [
      {
        expr: count(COUNTS.reacquires, { window: STEP, by: REACQUIRE_OUTCOMES }),
        legend: legend(REACQUIRE_OUTCOMES),
      },
    ],
  }),
  lines({
    title: 'Re-acquires that did not help, by window',
    description:
      'Share of the tried re-acquires that failed. Above a line with certainty, by their number: an alert fires; above the upper one it calls somebody.',
    unit: 'percentunit',
    width: 8,
    limits: { notable: Number((1 - REACQUIRE_NOTABLE).toFixed(4)), high: 1 - REACQUIRE_LOW },
    traces: { fixed: { [ATTR_ERROR_TYPE]: TAG_MISSING_METADATA_FIELD } },
    queries: windowsOf(TIMING).map((seconds) => ({
      expr: shareWithin(FAILED_REACQUIRES, seconds),
      legend: duration(seconds),
    })),
  }),
  lines({
    title: 'Duration of re-acquires (95th percentile)',
    description:
      'From the failure to its outcome, of those that somebody tried to the end. Long: agents wait; near the window’s end (5 minutes by default), re-acquires are counted as not tried because they come too late.',
    unit: 's',
    width: 8,
    colors: REACQUIRE_COLORS,
    traces: { fixed: { [ATTR_PAPERCLIP_RECOVERY_KIND]: REACQUIRE } },
    queries: [
      {
        expr: recentQuantile(0.95, BUCKETS.reacquires, REACQUIRE_OUTCOMES, [TRIED]),
        legend: legend(REACQUIRE_OUTCOMES),
      },
    ],
  }),
];

const CHANNELS = [
  single({
    title: 'Channels lost',
    description:
      'In the time shown: share of the opened channels that broke before the run had ended. High: what was under way on them is lost or done again.',
    unit: 'percentunit',
    width: 4,
    limits: { notable: LOSS_RATE / 2, high: LOSS_RATE },
    queries: [{ expr: share(losses({ window: RANGE }, counted), opened({ window: RANGE }, counted)) }],
  }),
  single({
    title: 'Sessions left over',
    description:
      'In the time shown. Sessions of providers that stayed when their channel was torn down. Any: sandboxes keep running and cost money; end them at the provider.',
    unit: 'none',
    width: 4,
    limits: { notable: 1, high: 10 },
    queries: [{ expr: count(COUNTS.leaks, { window: RANGE }) }],
  }),
  bars({
    title: 'Channel losses by class and reason',
    description:
      'Channels that broke, in each interval. post_dispatch: commands were under way and their results are lost; heartbeat_timeout: network or an overloaded sandbox; provider_exit: the sandbox went away.',
    unit: 'short',
    width: 16,
    queries: [{ expr: losses({ window: STEP, by: LOSS_KINDS }, counted), legend: legend(LOSS_KINDS) }],
  }),
  lines({
    title: 'How long channels are open (median)',
    description:
      'By how they ended. transport_closed after a short time: channels break soon after they open; all much shorter than your runs: agents open several for one run.',
    unit: 's',
    width: 8,
    colors: CHANNEL_END_COLORS,
    queries: [{ expr: recentQuantile(0.5, BUCKETS.channels, ENDS), legend: legend(ENDS) }],
  }),
  lines({
    title: 'Requests over channels (95th percentile)',
    description:
      'Duration of single requests forwarded over open channels. Slow or many with the outcome error: channels are open and do not work well; compare with losses.',
    unit: 's',
    width: 8,
    colors: FORWARD_COLORS,
    queries: [
      {
        expr: recentQuantile(0.95, BUCKETS.forwards, [ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME]),
        legend: legend([ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME]),
      },
    ],
  }),
  lines({
    title: 'Bytes over channels',
    description:
      'transmit goes to sandboxes, receive comes from them. Only transmit: sandboxes do not answer; nothing while channels are open: they hang.',
    unit: 'Bps',
    width: 8,
    queries: [
      {
        expr: recordedSum(ioName(TIMING), CHANNEL_IO.by, [ATTR_NETWORK_IO_DIRECTION]),
        legend: legend([ATTR_NETWORK_IO_DIRECTION]),
      },
    ],
  }),
];

export const RECOVERY: DashboardSpec = {
  uid: 'paperclip-recovery',
  title: 'Paperclip: recovery',
  description: 'Fallbacks, re-acquires and channels: what agents did when an environment failed them.',
  sections: [
    { title: 'Requests and fallbacks', panels: REQUESTS },
    { title: 'Re-acquires', panels: REACQUIRES },
    { title: 'Channels', panels: CHANNELS },
  ],
};
