/** Lease detail: how leases come about, how long they are held, and how they end. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ATTR_PAPERCLIP_LEASE_END,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  type LeaseEnd,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_DURATION,
  type OperationName,
} from '../../../src/semconv.js';
import { FAILURE_RATE } from '../limits.js';
import { is, matches, share } from '../promql.js';
import { allFailures, IS_ACQUIRE, IS_TEARDOWN, operations } from '../quantities.js';
import type { DashboardSpec } from './dashboard.js';
import { bars, lines, rows, single, spread } from './panels.js';
import { bucketsPerStep, legend, overRange, perStep, quantilePerStep, RANGE, STEP } from './queries.js';

const ACQUIRE = 'acquire_run_lease' satisfies OperationName;
const UNWELL: readonly LeaseEnd[] = ['expired', 'failed'];

const acquires = { window: RANGE, matchers: [IS_ACQUIRE] };
const teardowns = { window: RANGE, matchers: [IS_TEARDOWN] };
const ended = { metric: METRIC_PAPERCLIP_LEASE_DURATION, window: RANGE };
const BY_PROVIDER = [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER];
const BY_END = [ATTR_PAPERCLIP_LEASE_END];
const BY_OPERATION = [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME];

const NUMBERS = [
  single({
    title: 'Acquires',
    description:
      'Leases that were asked for in the time shown. None while agents run: the instrumentation is not attached, or agents reuse leases.',
    unit: 'short',
    width: 6,
    queries: [{ expr: operations(acquires, overRange) }],
  }),
  single({
    title: 'Failed acquires',
    description:
      'Share of the acquires that failed. High: providers refuse or have no capacity, and runs of agents do not start.',
    unit: 'percentunit',
    width: 6,
    limits: FAILURE_RATE,
    queries: [{ expr: share(allFailures(acquires, overRange), operations(acquires, overRange)) }],
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
          overRange({ ...ended, matchers: [matches(ATTR_PAPERCLIP_LEASE_END, UNWELL.join('|'))] }),
          overRange(ended),
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
    queries: [{ expr: share(allFailures(teardowns, overRange), operations(teardowns, overRange)) }],
  }),
];

const ACQUISITION = [
  bars({
    title: 'Acquired leases by outcome',
    description:
      'Successful acquires, in each interval: created, resumed, or a replacement for one that was gone. Many replacements: leases do not last until they are resumed. Without a name: the provider does not say.',
    unit: 'short',
    width: 8,
    traces: { fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: ACQUIRE } },
    queries: [
      {
        expr: operations(
          {
            window: STEP,
            by: [ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME],
            matchers: [IS_ACQUIRE, is(ATTR_ERROR_TYPE, '')],
          },
          perStep,
        ),
        legend: legend([ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME]),
      },
    ],
  }),
  bars({
    title: 'Failed acquires by error',
    description:
      'Acquires that failed, in each interval. WORKER_ERROR: the provider’s plug-in refused, and Paperclip’s log says why; TIMEOUT: it did not answer; WORKER_UNAVAILABLE: its process ended. Any for long: runs of agents do not start.',
    unit: 'short',
    width: 8,
    traces: {
      fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: ACQUIRE },
      clicked: [ATTR_ERROR_TYPE],
    },
    queries: [
      {
        expr: allFailures(
          { window: STEP, by: [...BY_PROVIDER, ATTR_ERROR_TYPE], matchers: [IS_ACQUIRE] },
          perStep,
        ),
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
    traces: { fixed: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: ACQUIRE } },
    queries: [
      {
        expr: quantilePerStep(0.95, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, BY_PROVIDER, [
          IS_ACQUIRE,
        ]),
        legend: legend(BY_PROVIDER),
        exemplars: true,
      },
    ],
  }),
];

const LIFETIMES = [
  spread({
    title: 'Lifetimes of leases',
    description:
      'How long leases were held that ended, darker where more did. A dark band at one long duration: leases that run into their limit instead of being given back.',
    unit: 's',
    width: 12,
    queries: [{ expr: bucketsPerStep(METRIC_PAPERCLIP_LEASE_DURATION), legend: '{{le}}' }],
  }),
  lines({
    title: 'Lifetimes by end (median and 95th percentile)',
    description:
      'How long leases were held, by how they ended. failed after a short time: runs fail soon; released after hours: agents hold what they do not use.',
    unit: 's',
    width: 12,
    queries: [0.5, 0.95].map((q) => ({
      expr: quantilePerStep(q, METRIC_PAPERCLIP_LEASE_DURATION, BY_END),
      legend: `${legend(BY_END)} ${q * 100}%`,
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
      'Leases that ended, in each interval. released: the run ended well; failed: it failed or ran out of time; expired: it was cancelled, or the lease ran out or was destroyed; far fewer than acquires for long: leases are not given back at all.',
    unit: 'short',
    width: 8,
    queries: [{ expr: perStep({ ...ended, window: STEP, by: BY_END }), legend: legend(BY_END) }],
  }),
  rows({
    title: 'Ends by driver and provider',
    description:
      'Leases that ended in the time shown. Many failed of one provider: runs do not end well there.',
    unit: 'short',
    width: 8,
    rows: END_ROWS,
    queries: [{ expr: overRange({ ...ended, by: Object.keys(END_ROWS) }), legend: 'Leases' }],
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
        expr: quantilePerStep(0.95, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, BY_OPERATION, [
          IS_TEARDOWN,
        ]),
        legend: legend(BY_OPERATION),
        exemplars: true,
      },
    ],
  }),
  bars({
    title: 'Shapes of the leases that operations had',
    description:
      'In each interval. plugin_incomplete: leases that lack metadata, on which no channel opens; a rise of non_plugin: leases that are no plug-in provider’s any more. absent are operations without a lease.',
    unit: 'short',
    width: 24,
    traces: { clicked: [ATTR_PAPERCLIP_LEASE_SHAPE] },
    queries: [
      {
        expr: operations({ window: STEP, by: [ATTR_PAPERCLIP_LEASE_SHAPE] }, perStep),
        legend: legend([ATTR_PAPERCLIP_LEASE_SHAPE]),
      },
    ],
  }),
];

export const LEASES: DashboardSpec = {
  uid: 'paperclip-leases',
  title: 'Paperclip: lease detail',
  description: 'Leases of environments: how they come about, how long they are held, and how they end.',
  sections: [
    { title: 'In the time shown', panels: NUMBERS },
    { title: 'Acquisition', panels: ACQUISITION },
    { title: 'Lifetimes', panels: LIFETIMES },
    { title: 'Ends', panels: ENDS },
  ],
};
