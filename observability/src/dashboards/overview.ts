/** Overview: are agents getting the channels they want, and what changed. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { FAILURE_RATE, FALLBACK_RATE, REACQUIRE_NOTABLE, REACQUIRE_OBJECTIVE } from '../limits.js';
import { INSTANCE, JOB } from '../names.js';
import { aggregate, share } from '../promql.js';
import {
  allFailures,
  failures,
  fallbackRate,
  operations,
  reacquireSuccess,
  shareByDesign,
} from '../quantities.js';
import { CHANGES } from './changes.js';
import type { DashboardSpec } from './dashboard.js';
import { bars, lines, single } from './panels.js';
import { current, legend, overRange, perStep, quantilePerStep, RANGE, STEP } from './queries.js';
import { versions } from './versions.js';

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

const NUMBERS = [
  single({
    title: 'Fallback rate',
    description:
      'Share of the requests for a duplex channel that fell back to one-shot commands, without those that are not meant to have one. High: agents work slower and without streaming; look at the reasons on the dashboard Recovery.',
    unit: 'percentunit',
    width: 5,
    limits: FALLBACK_RATE,
    queries: [{ expr: fallbackRate({ window: RANGE }, overRange) }],
  }),
  single({
    title: 'Without a channel by design',
    description:
      'Share of all requests that are not meant to have a duplex channel. gate_off: the setting is off, or the adapter never asks for one; capability_absent: the provider has none. The rate beside it leaves them out.',
    unit: 'percentunit',
    width: 5,
    queries: [{ expr: shareByDesign({ window: RANGE }, overRange) }],
  }),
  single({
    title: 'Re-acquire success',
    description:
      'Share of the re-acquires that somebody tried after which the operation succeeded. Low: fresh leases lack the same metadata or cannot be had, and runs of agents fail.',
    unit: 'percentunit',
    width: 5,
    limits: SUCCESS,
    queries: [{ expr: reacquireSuccess({ window: RANGE }, overRange) }],
  }),
  single({
    title: 'Failed operations',
    description:
      'Share of lease operations that failed, for any reason. High: environments do not work for agents; the errors are further down.',
    unit: 'percentunit',
    width: 5,
    limits: FAILURE_RATE,
    queries: [
      { expr: share(allFailures({ window: RANGE }, overRange), operations({ window: RANGE }, overRange)) },
    ],
  }),
  single({
    title: 'Servers',
    description:
      'Servers whose lease operations are seen. Fewer than you run: the instrumentation is not attached to some, or their metrics do not arrive.',
    unit: 'none',
    width: 4,
    queries: [{ expr: `count(${aggregate('group', versions(), [JOB, INSTANCE])})` }],
  }),
];

const RATES = [
  lines({
    title: 'Fallback rate by provider',
    description:
      'Share of the requests for a duplex channel that fell back, without those by design. One provider high: its driver or plug-in; all at once: the server, or its configuration.',
    unit: 'percentunit',
    width: 12,
    unnamed: 'no provider',
    limits: FALLBACK_RATE,
    queries: [
      {
        expr: fallbackRate({ window: STEP, by: BY_PROVIDER }, perStep),
        legend: legend(BY_PROVIDER),
      },
    ],
  }),
  lines({
    title: 'Re-acquire success by provider',
    description:
      'Share of the tried re-acquires that helped. A provider near 0: its plug-in writes incomplete leases, or it has no capacity; the outcomes on the dashboard Recovery tell which.',
    unit: 'percentunit',
    width: 12,
    unnamed: 'no provider',
    limits: SUCCESS,
    queries: [
      { expr: reacquireSuccess({ window: STEP, by: BY_PROVIDER }, perStep), legend: legend(BY_PROVIDER) },
    ],
  }),
];

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
        expr: failures(TAG_UNSUPPORTED_DRIVER_OPERATION, { window: STEP, by: BY_LEASE }, perStep),
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
        expr: failures(TAG_MISSING_METADATA_FIELD, { window: STEP, by: BY_LEASE }, perStep),
        legend: legend(BY_LEASE),
      },
    ],
  }),
];

const LOAD = [
  lines({
    title: 'Latency by operation (95th percentile)',
    description:
      'Of 20 operations, 19 took no longer. Rising acquires: the provider is slow or short of capacity; rising releases: teardown hangs, and sandboxes may be left over. Diamonds are single operations, where metrics come with exemplars.',
    unit: 's',
    width: 8,
    traces: { clicked: BY_OPERATION },
    queries: [
      {
        expr: quantilePerStep(0.95, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, BY_OPERATION),
        legend: legend(BY_OPERATION),
        exemplars: true,
      },
    ],
  }),
  lines({
    title: 'Operations under way',
    description:
      'Lease operations that have started and not ended. One that only rises: calls that hang in a driver.',
    unit: 'short',
    width: 8,
    queries: [
      {
        expr: current(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE, BY_OPERATION),
        legend: legend(BY_OPERATION),
      },
    ],
  }),
  lines({
    title: 'Open duplex channels',
    description:
      'Channels that are open. A sudden fall to 0 while agents run: channels break; never any: every request falls back.',
    unit: 'short',
    width: 8,
    unnamed: 'no provider',
    queries: [
      { expr: current(METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, BY_PROVIDER), legend: legend(BY_PROVIDER) },
    ],
  }),
];

export const OVERVIEW: DashboardSpec = {
  uid: 'paperclip-overview',
  title: 'Paperclip: overview',
  description:
    'Lease operations of Paperclip: do agents get the duplex channels they want, and what changed.',
  sections: [
    { title: 'In the time shown', panels: NUMBERS },
    { title: 'The two rates', panels: RATES },
    { title: 'Refused operations', panels: REFUSALS },
    { title: 'Latency and load', panels: LOAD },
    { title: 'What changed since the last deployment', panels: CHANGES },
  ],
};
