/** Overview, as a story: is it bad, and what to do; since when; who; why; and what changed. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { FAILURE_RATE, FALLBACK_RATE, REACQUIRE_NOTABLE, REACQUIRE_OBJECTIVE } from '../limits.js';
import { INSTANCE, JOB } from '../names.js';
import { aggregate, is, share } from '../promql.js';
import { BUCKETS, COUNTS } from '../rules/panels.js';
import { BY_VERSION, FAILURES, VERSIONS } from './changes.js';
import type { DashboardSpec } from './dashboard.js';
import { FIRING } from './firing.js';
import { bars, lines, now, rows, single } from './panels.js';
import {
  count,
  legend,
  onAverage,
  RANGE,
  type RecordedShare,
  recentQuantile,
  STEP,
  servers,
  shareNow,
  steadyShare,
  VARIABLES,
  whole,
  worstNow,
} from './queries.js';
import { FAILED_OPERATIONS, FAILED_REACQUIRES, FALLBACKS } from './shares.js';

const BY_PROVIDER = [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER];
const BY_LEASE = [
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_SHAPE,
];
const BY_OPERATION = [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME];

const SUCCESS = {
  notable: REACQUIRE_NOTABLE,
  high: REACQUIRE_OBJECTIVE,
  isLowBad: true,
};

const WINDOWS =
  'Over the last hour; where little happened in it, over six hours or three days, as alerts look at it.';

/** A share of all, and of the provider that is worst off. */
const nowAndWorst = (recorded: RecordedShare) => [
  { expr: shareNow(recorded), legend: 'all' },
  { expr: worstNow(recorded, 'topk'), legend: `worst: ${legend(BY_PROVIDER)}` },
];

const NUMBERS = [
  now({
    title: 'Fallback rate now, and the worst',
    description: `Share of the requests for a duplex channel that fell back to one-shot commands, without those that are not meant to have one. High: agents work slower and without streaming; look at the reasons on the dashboard Recovery. ${WINDOWS}`,
    unit: 'percentunit',
    width: 7,
    limits: FALLBACK_RATE,
    queries: nowAndWorst(FALLBACKS),
  }),
  now({
    title: 'Re-acquire success now, and the worst',
    description: `Share of the re-acquires that somebody tried after which the operation succeeded. Low: fresh leases lack the same metadata or cannot be had, and runs of agents fail. ${WINDOWS}`,
    unit: 'percentunit',
    width: 7,
    limits: SUCCESS,
    queries: nowAndWorst(FAILED_REACQUIRES).map((query) => ({ ...query, expr: `1 - (${query.expr})` })),
  }),
  now({
    title: 'Failed operations now, and the worst',
    description: `Share of lease operations that failed, for any reason. High: environments do not work for agents; the errors are further down. ${WINDOWS}`,
    unit: 'percentunit',
    width: 7,
    limits: FAILURE_RATE,
    queries: nowAndWorst(FAILED_OPERATIONS),
  }),
];

const SERVERS = single({
  title: 'Servers',
  description:
    'Servers whose lease operations are seen. Fewer than you run: the instrumentation is not attached to some, or their metrics do not arrive.',
  unit: 'none',
  width: 3,
  queries: [{ expr: `count(${aggregate('group', servers(), [JOB, INSTANCE])})` }],
});

const RATES = [
  lines({
    title: 'Fallback rate by provider',
    description: `Share of the requests for a duplex channel that fell back, without those by design. One provider high: its driver or plug-in; all at once: the server, or its configuration. ${WINDOWS} An alert fires where it is certainly above the upper line.`,
    unit: 'percentunit',
    width: 8,
    height: 11,
    unnamed: 'no provider',
    limits: FALLBACK_RATE,
    runbook: 'high-fallback-rate',
    queries: [{ expr: steadyShare(FALLBACKS, BY_PROVIDER), legend: legend(BY_PROVIDER) }],
  }),
  lines({
    title: 'Re-acquire success by provider',
    description: `Share of the tried re-acquires that helped. A provider near 0: its plug-in writes incomplete leases, or it has no capacity; the outcomes on the dashboard Recovery tell which. ${WINDOWS} The objective is above the upper line.`,
    unit: 'percentunit',
    width: 8,
    height: 11,
    unnamed: 'no provider',
    limits: SUCCESS,
    runbook: 'low-reacquire-success',
    queries: [{ expr: `1 - (${steadyShare(FAILED_REACQUIRES, BY_PROVIDER)})`, legend: legend(BY_PROVIDER) }],
  }),
  lines({
    title: 'Failed operations by provider',
    description: `Share of lease operations that failed, for any reason. One provider high: the table below has its errors. ${WINDOWS}`,
    unit: 'percentunit',
    width: 8,
    height: 11,
    unnamed: 'no provider',
    limits: FAILURE_RATE,
    queries: [{ expr: steadyShare(FAILED_OPERATIONS, BY_PROVIDER), legend: legend(BY_PROVIDER) }],
  }),
];

const SERVER_ROWS = { [JOB]: 'Service', [INSTANCE]: 'Server' };
const PER_SERVER = { window: RANGE, by: Object.keys(SERVER_ROWS) };
const FAILED_OF_SERVERS = count(COUNTS.failed, PER_SERVER);
const WORST_SERVERS = `topk(10, ${share(FAILED_OF_SERVERS, count(COUNTS.operations, PER_SERVER))} > 0)`;

const WHO = [
  rows({
    title: 'Worst servers',
    description:
      'The ten servers with the highest share of failed operations in the time shown. One far above the others: it is that server, its version or its network. A server leads to this dashboard with nothing but that server.',
    unit: 'percentunit',
    width: 12,
    empty: 'No operation failed.',
    rows: SERVER_ROWS,
    urls: {
      [INSTANCE]: {
        title: 'This server alone',
        url: `/d/paperclip-overview?var-${VARIABLES.instance}=\${__data.fields.${INSTANCE}}&from=\${__from}&to=\${__to}`,
      },
    },
    queries: [
      { expr: WORST_SERVERS, legend: 'Failed', width: 95 },
      {
        expr: `${whole(FAILED_OF_SERVERS)} and on (${JOB}, ${INSTANCE}) ${WORST_SERVERS}`,
        legend: 'Failures',
        unit: 'none',
      },
    ],
  }),
  ...VERSIONS,
  FAILURES,
];

const failuresPerStep = (errorType: string) =>
  count(COUNTS.failed, { window: STEP, by: BY_LEASE, matchers: [is(ATTR_ERROR_TYPE, errorType)] });

const REFUSALS = [
  bars({
    title: 'Unsupported operations by driver, provider and shape',
    description:
      'Operations that the driver refused, in each interval. Any with the shape non_plugin: leases that are no plug-in provider’s; with plugin_complete: plug-in workers are off or too old. A jump fires an alert.',
    unit: 'short',
    width: 12,
    traces: {
      fixed: { [ATTR_ERROR_TYPE]: TAG_UNSUPPORTED_DRIVER_OPERATION },
      clicked: [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
    },
    queries: [
      {
        expr: failuresPerStep(TAG_UNSUPPORTED_DRIVER_OPERATION),
        legend: legend(BY_LEASE),
      },
    ],
  }),
  bars({
    title: 'Operations that lacked metadata by driver, provider and shape',
    description:
      'Operations that failed because their lease lacks metadata, in each interval. Any right after a deployment: the server and the provider’s plug-in no longer fit together.',
    unit: 'short',
    width: 12,
    traces: {
      fixed: { [ATTR_ERROR_TYPE]: TAG_MISSING_METADATA_FIELD },
      clicked: [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
    },
    queries: [
      {
        expr: failuresPerStep(TAG_MISSING_METADATA_FIELD),
        legend: legend(BY_LEASE),
      },
    ],
  }),
];

const LOAD = [
  BY_VERSION,
  lines({
    title: 'Latency by operation (95th percentile)',
    description:
      'Of 20 operations within half an hour, 19 took no longer. Rising acquires: the provider is slow or short of capacity; rising releases: teardown hangs, and sandboxes may be left over.',
    unit: 's',
    width: 12,
    height: 11,
    traces: { clicked: BY_OPERATION },
    queries: [
      {
        expr: recentQuantile(0.95, BUCKETS.operations, BY_OPERATION),
        legend: legend(BY_OPERATION),
      },
    ],
  }),
  lines({
    title: 'Operations under way',
    description:
      'Lease operations that have started and not ended, on average in each interval. One that only rises: calls that hang in a driver.',
    unit: 'short',
    width: 12,
    height: 11,
    queries: [
      {
        expr: onAverage(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE, BY_OPERATION),
        legend: legend(BY_OPERATION),
      },
    ],
  }),
  lines({
    title: 'Open duplex channels',
    description:
      'Channels that are open, on average in each interval. A sudden fall to 0 while agents run: channels break; never any: every request falls back.',
    unit: 'short',
    width: 12,
    height: 11,
    unnamed: 'no provider',
    queries: [
      { expr: onAverage(METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, BY_PROVIDER), legend: legend(BY_PROVIDER) },
    ],
  }),
];

export const OVERVIEW: DashboardSpec = {
  uid: 'paperclip-overview',
  title: 'Paperclip: overview',
  description:
    'Lease operations of Paperclip: do agents get the duplex channels they want, and what changed.',
  sections: [
    { title: 'Is it bad, and what to do', panels: [FIRING, ...NUMBERS, SERVERS] },
    { title: 'Since when', panels: RATES },
    { title: 'Who', panels: WHO },
    { title: 'Why: refused operations', panels: REFUSALS },
    { title: 'Why: deployments, latency and load', panels: LOAD },
  ],
};
