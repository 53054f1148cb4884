/** The overview's panels about what failed, and what changed since the last deployment. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
} from '../../../src/semconv.js';
import { FAILURE_RATE, TIMING } from '../limits.js';
import { INSTANCE, JOB, SCOPE_VERSION, SERVICE_VERSION } from '../names.js';
import { aggregate, duration, selectCount, share } from '../promql.js';
import { COUNTS, type Recorded } from '../rules/panels.js';
import { lines, rows } from './panels.js';
import { count, countOfVersions, ON_INSTANCE, ON_JOB, RANGE, whole } from './queries.js';
import { versions } from './versions.js';

const ERROR_ROWS = {
  [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: 'Operation',
  [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'Driver',
  [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'Provider',
  [ATTR_PAPERCLIP_LEASE_SHAPE]: 'Shape',
  [ATTR_ERROR_TYPE]: 'Error',
};
const OF_DRIVER = [
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
];
const ERRORS = whole(count(COUNTS.failed, { window: RANGE, by: Object.keys(ERROR_ROWS) }));
const VERSION_ROWS = { [JOB]: 'Service', [SERVICE_VERSION]: 'Version' };
const HOUR = duration(TIMING.shares.busy.long);
const ofVersions = (recorded: Recorded) => countOfVersions(recorded, HOUR, [SERVICE_VERSION]);

export const FAILURES = rows({
  title: 'Failures by operation and error',
  description:
    'What failed in the time shown. A row that was not there before the last deployment (narrow the time to after it) came with it. A provider leads to the traces of its row, a driver to those of all its providers.',
  unit: 'none',
  width: 24,
  rows: ERROR_ROWS,
  links: {
    [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: { clicked: OF_DRIVER },
    [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: { clicked: [...OF_DRIVER, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER] },
  },
  queries: [{ expr: ERRORS, legend: 'Failures' }],
});

export const BY_VERSION = lines({
  title: 'Failed operations by version of the server',
  description:
    'Share of operations that failed within an hour, by service.version. A new version above the one before it: what was deployed made it worse.',
  unit: 'percentunit',
  width: 12,
  height: 11,
  limits: FAILURE_RATE,
  queries: [
    {
      expr: share(ofVersions(COUNTS.failed), ofVersions(COUNTS.operations)),
      legend: `version {{${SERVICE_VERSION}}}`,
    },
  ],
});

export const VERSIONS = [
  rows({
    title: 'Versions that run now',
    description:
      'How many servers run which version. More than one version for long after a deployment: it did not reach every server. No version: service.version is not set, and deployments are not marked.',
    unit: 'none',
    width: 6,
    rows: VERSION_ROWS,
    queries: [{ expr: aggregate('count', versions(), Object.keys(VERSION_ROWS)), legend: 'Servers' }],
  }),
  rows({
    title: 'Instrumentation that runs now',
    description:
      'How many servers run which version of the instrumentation. Older than the one that these dashboards came with: panels may lack data.',
    unit: 'none',
    width: 6,
    rows: { [SCOPE_VERSION]: 'Version' },
    queries: [
      {
        expr: aggregate(
          'count',
          aggregate(
            'group',
            selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, [ON_JOB, ON_INSTANCE]),
            [SCOPE_VERSION, JOB, INSTANCE],
          ),
          [SCOPE_VERSION],
        ),
        legend: 'Servers',
      },
    ],
  }),
];
