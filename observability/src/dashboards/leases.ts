/** Lease detail: what is held and what it costs, how leases come about, how long they are held, and how they end. */
import {
  type ACQUISITION_OUTCOMES,
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ATTR_PAPERCLIP_LEASE_END,
  ATTR_PAPERCLIP_LEASE_POLICY,
  ATTR_PAPERCLIP_LEASE_RUN,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  ATTR_PAPERCLIP_LEASE_STATUS,
  ERROR_TYPE_PLUGIN_TIMEOUT,
  type LeaseEnd,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST,
  type OperationName,
} from '../../../src/semconv.js';
import { FAILURE_RATE, TIMING, WAITING_MIN_GROWTH } from '../limits.js';
import { is, isNot, isOneOf, share } from '../promql.js';
import { IS_ACQUIRE, IS_TEARDOWN } from '../quantities.js';
import { BUCKETS, COUNTS, LEASE_SECONDS } from '../rules/panels.js';
import { held, IS_SANDBOX, oldest, stranded, waiting } from '../stock.js';
import { ACQUISITION_COLORS, LEASE_END_COLORS, SHAPE_COLORS } from './colors.js';
import type { DashboardSpec } from './dashboard.js';
import { bars, lines, rows, single, spread } from './panels.js';
import {
  bucketsPerStep,
  CHOSEN_LEASES,
  count,
  highest,
  legend,
  RANGE,
  recentQuantile,
  STEP,
  whole,
} from './queries.js';

const ACQUIRE = 'acquire_run_lease' satisfies OperationName;
const UNWELL: readonly LeaseEnd[] = ['expired', 'failed'];

const failedAcquires = count(COUNTS.failed, { window: RANGE, matchers: [IS_ACQUIRE] });
const succeeded = count(COUNTS.acquired, { window: RANGE });
const acquires = `((${failedAcquires} or 0 * ${succeeded}) + (${succeeded} or 0 * ${failedAcquires}))`;
const BY_PROVIDER = [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER];
const BY_END = [ATTR_PAPERCLIP_LEASE_END];
const BY_OPERATION = [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME];

const BY_STATE = [ATTR_PAPERCLIP_LEASE_STATUS, ATTR_PAPERCLIP_LEASE_RUN];
const BY_OUTCOME = [ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME];
const WARM = 'resumed' satisfies (typeof ACQUISITION_OUTCOMES)[number];
const OTHER_THAN_EXECUTE = isNot(
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  'execute' satisfies OperationName,
);
/** What the number of leases is counted up from, every five minutes. */
const DAY = '1d';
const EVERY = '5m';
const PER_HOUR = 12;

const SANDBOXES = [...CHOSEN_LEASES, IS_SANDBOX];
const FROM_TABLE =
  'From Paperclip’s own table: empty unless that is asked (option leaseInventory, or beside the server).';

const HELD_NUMBERS = [
  single({
    title: 'Sandboxes held now',
    description: `Leases of sandboxes that are not over. More than there are runs for long: some are left over. ${FROM_TABLE}`,
    unit: 'none',
    width: 6,
    queries: [{ expr: held(SANDBOXES, []) }],
  }),
  single({
    title: 'Waiting for cleanup now',
    description: `Leases whose sandbox could not be given up. Paperclip tries five times, and then leaves them. ${FROM_TABLE}`,
    unit: 'none',
    width: 6,
    limits: { notable: 1, high: WAITING_MIN_GROWTH },
    runbook: 'leases-wait-for-cleanup',
    queries: [{ expr: `sum(${waiting(SANDBOXES)})` }],
  }),
  single({
    title: 'Stranded now',
    description: `Leases that are active although their run has ended, or that have had no run for a day. Any for long: sandboxes cost money and nobody gives them back. ${FROM_TABLE}`,
    unit: 'none',
    width: 6,
    limits: { notable: 1, high: 2 },
    runbook: 'leases-stranded',
    queries: [{ expr: `sum(${stranded(CHOSEN_LEASES, TIMING.leases.withoutRun)})` }],
  }),
  single({
    title: 'Oldest operation under way',
    description:
      'How long it has been running, commands of agents left out. A quarter of an hour: it hangs, and so does the run that waits for it.',
    unit: 's',
    width: 6,
    limits: { notable: TIMING.underWay.other / 3, high: TIMING.underWay.other },
    runbook: 'operation-hangs',
    queries: [{ expr: highest(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST, [], [OTHER_THAN_EXECUTE]) }],
  }),
];

const HELD_ROWS = {
  [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'Provider',
  [ATTR_PAPERCLIP_LEASE_STATUS]: 'State',
  [ATTR_PAPERCLIP_LEASE_RUN]: 'Run',
  [ATTR_PAPERCLIP_LEASE_POLICY]: 'Policy',
};

const HELD = [
  rows({
    title: 'Held now, by provider and state',
    description: `Leases of sandboxes that are not over. active with a run that has ended: stranded; pending_cleanup: the sandbox could not be given up; retained, or a policy that reuses: kept on purpose. ${FROM_TABLE}`,
    unit: 'none',
    width: 24,
    rows: HELD_ROWS,
    queries: [
      { expr: held(SANDBOXES, Object.keys(HELD_ROWS)), legend: 'Leases' },
      { expr: oldest(SANDBOXES, Object.keys(HELD_ROWS)), legend: 'Oldest', unit: 's' },
    ],
  }),
  lines({
    title: 'Leases that are not over',
    description: `By state and by whether their run is over. A line that only rises: sandboxes are left behind. ${FROM_TABLE}`,
    unit: 'short',
    width: 12,
    queries: [{ expr: held(SANDBOXES, BY_STATE), legend: legend(BY_STATE) }],
  }),
  lines({
    title: 'Age of the oldest lease that is not over',
    description: `By state and by whether its run is over. pending_cleanup above an hour: Paperclip has stopped trying; active with an ended run: nobody gives it back. ${FROM_TABLE}`,
    unit: 's',
    width: 12,
    runbook: 'leases-wait-for-cleanup',
    queries: [{ expr: oldest(SANDBOXES, BY_STATE), legend: legend(BY_STATE) }],
  }),
  lines({
    title: 'Age of the oldest operation under way',
    description:
      'By operation. A line that rises by a minute each minute: the operation hangs. Commands of agents (execute) may run for hours.',
    unit: 's',
    width: 24,
    runbook: 'operation-hangs',
    traces: { clicked: BY_OPERATION },
    queries: [
      {
        expr: highest(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST, BY_OPERATION),
        legend: legend(BY_OPERATION),
      },
    ],
  }),
];

const COST_ROWS = { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'Provider' };

const COST = [
  rows({
    title: 'Lease-hours in the last day, by provider',
    description:
      'What providers bill, in about these proportions. Held: hours of all leases, from Paperclip’s own table where that is asked; Ended: hours of those that ended. Far more held than ended: sandboxes are left behind.',
    unit: 'short',
    width: 12,
    rows: COST_ROWS,
    queries: [
      {
        expr: `sum_over_time((${held(SANDBOXES, BY_PROVIDER)})[${DAY}:${EVERY}]) / ${PER_HOUR}`,
        legend: 'Held',
      },
      {
        expr: `${count(LEASE_SECONDS, { window: DAY, by: BY_PROVIDER, matchers: [IS_SANDBOX] })} / 3600`,
        legend: 'Ended',
      },
    ],
  }),
  single({
    title: 'Acquires that found a warm sandbox',
    description:
      'Share of the successful acquires of which the provider says how they came about. Low where environments are meant to be reused: sandboxes do not last until the next run, and each run waits for a new one.',
    unit: 'percentunit',
    width: 12,
    height: 10,
    queries: [
      {
        expr: share(
          count(COUNTS.acquired, {
            window: RANGE,
            matchers: [is(ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME, WARM)],
          }),
          count(COUNTS.acquired, {
            window: RANGE,
            matchers: [isNot(ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME, '')],
          }),
        ),
      },
    ],
  }),
  lines({
    title: 'What a cold and a warm start take (median and 95th percentile)',
    description:
      'Successful acquires. created and replacement are cold starts, resumed is a warm one. A warm start as slow as a cold one: reuse only costs.',
    unit: 's',
    width: 24,
    colors: ACQUISITION_COLORS,
    traces: { fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: ACQUIRE } },
    queries: [0.5, 0.95].map((q) => ({
      expr: recentQuantile(q, BUCKETS.operations, BY_OUTCOME, [
        IS_ACQUIRE,
        isNot(ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME, ''),
      ]),
      legend: `${legend(BY_OUTCOME)} ${q * 100}%`,
      isDashed: q === 0.95,
    })),
  }),
];

const NUMBERS = [
  single({
    title: 'Acquires',
    description:
      'Leases that were asked for in the time shown. None while agents run: the instrumentation is not attached, or agents reuse leases.',
    unit: 'none',
    width: 6,
    queries: [{ expr: acquires }],
  }),
  single({
    title: 'Failed acquires',
    description:
      'Share of the acquires that failed. High: providers refuse or have no capacity, and runs of agents do not start.',
    unit: 'percentunit',
    width: 6,
    limits: FAILURE_RATE,
    runbook: 'acquires-fail',
    queries: [{ expr: share(failedAcquires, acquires) }],
  }),
  single({
    title: 'Leases that expired or failed',
    description:
      'Share of the ended leases whose run was cancelled, failed or ran out of time, or that ran out themselves. High: many runs of agents do not end well.',
    unit: 'percentunit',
    width: 6,
    limits: FAILURE_RATE,
    queries: [
      {
        expr: share(
          count(COUNTS.ended, { window: RANGE, matchers: [isOneOf(ATTR_PAPERCLIP_LEASE_END, UNWELL)] }),
          count(COUNTS.ended, { window: RANGE }),
        ),
      },
    ],
  }),
  single({
    title: 'Failed teardowns',
    description:
      'Share of releases, destroys and their retries that threw, or returned that the provider did not give the sandbox up (lease_cleanup_failed). High: sandboxes stay and cost money; look for them at the provider, by paperclip.lease.provider_lease_id of the spans.',
    unit: 'percentunit',
    width: 6,
    limits: FAILURE_RATE,
    runbook: 'teardowns-fail',
    queries: [
      {
        expr: share(
          count(COUNTS.failed, { window: RANGE, matchers: [IS_TEARDOWN] }),
          count(COUNTS.teardowns, { window: RANGE }),
        ),
      },
    ],
  }),
];

const ACQUISITION = [
  bars({
    title: 'Acquired leases by outcome',
    description:
      'Successful acquires, in each interval: created, resumed, or a replacement for one that was gone. Many replacements: leases do not last until they are resumed. not said: the provider does not say.',
    unit: 'short',
    width: 6,
    height: 11,
    colors: ACQUISITION_COLORS,
    unnamed: 'not said',
    traces: { fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: ACQUIRE } },
    queries: [
      {
        expr: count(COUNTS.acquired, { window: STEP, by: BY_OUTCOME }),
        legend: legend([ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME]),
      },
    ],
  }),
  bars({
    title: 'Failed acquires by error',
    description:
      'Acquires that failed, in each interval. WORKER_ERROR: the provider’s plug-in refused, and Paperclip’s log says why; TIMEOUT: it did not answer; WORKER_UNAVAILABLE: its process ended. Any for long: runs of agents do not start.',
    unit: 'short',
    width: 10,
    height: 11,
    traces: {
      fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: ACQUIRE },
      clicked: [ATTR_ERROR_TYPE],
    },
    queries: [
      {
        expr: count(COUNTS.failed, {
          window: STEP,
          by: [...BY_PROVIDER, ATTR_ERROR_TYPE],
          matchers: [IS_ACQUIRE],
        }),
        legend: legend([...BY_PROVIDER, ATTR_ERROR_TYPE]),
      },
    ],
  }),
  lines({
    title: 'Duration of acquires (95th percentile)',
    description:
      'By provider. Rising: the provider is short of capacity or has to build what used to be ready; agents wait that long before they start.',
    unit: 's',
    width: 8,
    height: 11,
    unnamed: 'no provider',
    traces: { fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: ACQUIRE } },
    queries: [
      {
        expr: recentQuantile(0.95, BUCKETS.operations, BY_PROVIDER, [IS_ACQUIRE]),
        legend: legend(BY_PROVIDER),
      },
    ],
  }),
];

const LIFETIMES = [
  spread({
    title: 'Lifetimes of leases',
    description:
      'How long leases were held that ended, the more did, the more a cell stands out. A strong band at one long duration: leases that run into their limit instead of being given back.',
    unit: 's',
    width: 24,
    queries: [{ expr: bucketsPerStep(BUCKETS.leases), legend: '{{le}}' }],
  }),
  lines({
    title: 'Lifetimes by end (median and 95th percentile)',
    description:
      'How long leases were held, by how they ended. failed after a short time: runs fail soon; released after hours: agents hold what they do not use.',
    unit: 's',
    width: 24,
    colors: LEASE_END_COLORS,
    queries: [0.5, 0.95].map((q) => ({
      expr: recentQuantile(q, BUCKETS.leases, BY_END),
      legend: `${legend(BY_END)} ${q * 100}%`,
      isDashed: q === 0.95,
    })),
  }),
];

const END_ROWS = {
  [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'Driver',
  [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'Provider',
  [ATTR_PAPERCLIP_LEASE_END]: 'End',
};

const ENDS = [
  bars({
    title: 'Ends of leases',
    description:
      'Leases that ended, in each interval. released: the run ended well or was interrupted, or its sandbox is kept; failed: it failed or ran out of time; expired: it was cancelled, or the lease ran out or was destroyed; far fewer than acquires for long: leases are not given back at all.',
    unit: 'short',
    width: 8,
    colors: LEASE_END_COLORS,
    queries: [{ expr: count(COUNTS.ended, { window: STEP, by: BY_END }), legend: legend(BY_END) }],
  }),
  rows({
    title: 'Ends by driver and provider',
    description:
      'Leases that ended in the time shown. Many failed of one provider: runs do not end well there.',
    unit: 'none',
    width: 8,
    rows: END_ROWS,
    queries: [
      { expr: whole(count(COUNTS.ended, { window: RANGE, by: Object.keys(END_ROWS) })), legend: 'Leases' },
    ],
  }),
  lines({
    title: 'Duration of teardowns (95th percentile)',
    description:
      'Releases, destroys and retries of them. Near a limit of time: the provider does not answer, and sandboxes may be left over.',
    unit: 's',
    width: 8,
    traces: { clicked: BY_OPERATION },
    queries: [
      {
        expr: recentQuantile(0.95, BUCKETS.operations, BY_OPERATION, [IS_TEARDOWN]),
        legend: legend(BY_OPERATION),
      },
    ],
  }),
  bars({
    title: 'Calls that a plug-in did not answer',
    description:
      'Operations that Paperclip gave up waiting for, in each interval. Any for long: the provider’s plug-in hangs or is overloaded, and agents wait for minutes and then fail.',
    unit: 'short',
    width: 12,
    runbook: 'plugin-calls-time-out',
    traces: { fixed: { [ATTR_ERROR_TYPE]: ERROR_TYPE_PLUGIN_TIMEOUT }, clicked: BY_OPERATION },
    queries: [
      {
        expr: count(COUNTS.failed, {
          window: STEP,
          by: [...BY_PROVIDER, ...BY_OPERATION],
          matchers: [is(ATTR_ERROR_TYPE, ERROR_TYPE_PLUGIN_TIMEOUT)],
        }),
        legend: legend([...BY_PROVIDER, ...BY_OPERATION]),
      },
    ],
  }),
  bars({
    title: 'Shapes of the leases that operations had',
    description:
      'In each interval. plugin_incomplete: leases that lack metadata, on which no channel opens; a rise of non_plugin: leases that are no plug-in provider’s any more. absent are operations without a lease.',
    unit: 'short',
    width: 12,
    colors: SHAPE_COLORS,
    traces: { clicked: [ATTR_PAPERCLIP_LEASE_SHAPE] },
    queries: [
      {
        expr: count(COUNTS.shapes, { window: STEP, by: [ATTR_PAPERCLIP_LEASE_SHAPE] }),
        legend: legend([ATTR_PAPERCLIP_LEASE_SHAPE]),
      },
    ],
  }),
];

export const LEASES: DashboardSpec = {
  uid: 'paperclip-leases',
  title: 'Paperclip: lease detail',
  description:
    'Leases of environments: what is held and what it costs, how leases come about, how long they are held, and how they end.',
  sections: [
    { title: 'Held now', panels: [...HELD_NUMBERS, ...HELD] },
    { title: 'Cost', panels: COST },
    { title: 'In the time shown', panels: NUMBERS },
    { title: 'Acquisition', panels: ACQUISITION },
    { title: 'Lifetimes', panels: LIFETIMES },
    { title: 'Ends', panels: ENDS },
  ],
};
