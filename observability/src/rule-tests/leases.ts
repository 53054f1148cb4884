/** Tests of the alerts about leases that cannot be had or are left behind, and about operations that hang. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_POLICY,
  ATTR_PAPERCLIP_LEASE_RUN,
  ATTR_PAPERCLIP_LEASE_STATUS,
  ERROR_TYPE_LEASE_CLEANUP_FAILED,
  ERROR_TYPE_PLUGIN_TIMEOUT,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST,
  METRIC_PAPERCLIP_LEASE_HELD,
  METRIC_PAPERCLIP_LEASE_OLDEST,
  type OperationName,
} from '../../../src/semconv.js';
import { INSTANCE } from '../names.js';
import {
  acquiresFail,
  executeHangs,
  leasesStranded,
  leasesWaitForCleanup,
  operationHangs,
  pluginCallsTimeOut,
  teardownsFail,
} from '../rules/leases.js';
import { type AlertTest, counted, NAMINGS, type Scenario } from './scenario.js';

const SANDBOX = { [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'sandbox' };
const DAYTONA = { ...SANDBOX, [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'daytona' };
const SERVER = 'server-1';
const OTHER_SERVER = 'server-2';

const operation = (
  name: OperationName,
  values: string,
  errorType?: string,
  attributes: Readonly<Record<string, string>> = DAYTONA,
) =>
  counted(
    METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
    {
      [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name,
      ...attributes,
      ...(errorType === undefined ? {} : { [ATTR_ERROR_TYPE]: errorType }),
    },
    values,
  );

const SHORTLY = '15 minutes';
const REFUSED = 'WORKER_ERROR';
const acquired = (values: string) => operation('acquire_run_lease', values);
const refused = (values: string, attributes?: Readonly<Record<string, string>>) =>
  operation('acquire_run_lease', values, REFUSED, attributes);
/** Something else is done all the time, so that the service is watched. */
const executed = operation('execute', '0+1x600');
const failing = { value: 1, labels: { ...DAYTONA, [ATTR_ERROR_TYPE]: REFUSED } };

const outage: Scenario = {
  title:
    'fires within 20 minutes when all acquires of a busy server fail, and resolves when they succeed again',
  series: [executed, acquired('0+1x59 59x65 60+1x100'), refused('_x60 1+1x64 65x100')],
  checks: [{ at: 50 }, { at: 62 }, { at: 80, ...failing, counts: [16, 16, SHORTLY] }, { at: 157 }],
};

export const ACQUIRES_TEST: AlertTest = {
  alert: acquiresFail,
  scenarios: [
    ...NAMINGS.map((naming) => ({ ...outage, naming, title: `${outage.title} (${naming})` })),
    {
      title: 'does not fire for three failures at night',
      series: [executed, acquired('5x600'), refused('_x60 1 2 3 3x500')],
      checks: [{ at: 64 }, { at: 70 }, { at: 120 }],
    },
  ],
};

const released = (values: string) => operation('release_run_lease', values);
const kept = (values: string) => operation('release_run_lease', values, ERROR_TYPE_LEASE_CLEANUP_FAILED);
const keeping = { value: 1, labels: { ...DAYTONA, [ATTR_ERROR_TYPE]: ERROR_TYPE_LEASE_CLEANUP_FAILED } };

export const TEARDOWNS_TEST: AlertTest = {
  alert: teardownsFail,
  scenarios: [
    {
      title: 'fires where no sandbox is given up, and resolves when they are again',
      series: [executed, kept('_x60 1+1x59 60x300'), released('_x120 1+1x240')],
      checks: [
        { at: 62 },
        { at: 80, ...keeping, counts: [16, 16, SHORTLY], most: 'release_run_lease' },
        { at: 160 },
      ],
    },
    {
      title: 'counts destroys and retries as well',
      series: [
        executed,
        operation('destroy_run_lease', '_x60 1 2 3 3x100', REFUSED),
        operation('retry_pending_sandbox_teardown', '_x60 1 2 3 3x100', REFUSED),
      ],
      checks: [{ at: 64, ...failing, counts: [6, 6, 'an hour'], most: 'destroy_run_lease' }],
    },
    {
      title: 'does not fire for operations that fail and give nothing back',
      series: [executed, refused('_x60 1+1x100'), released('0+1x300')],
      checks: [{ at: 80 }, { at: 120 }],
    },
    {
      title: 'does not fire for one failure',
      series: [executed, released('0+1x300'), kept('_x60 1x200')],
      checks: [{ at: 64 }, { at: 90 }],
    },
  ],
};

const unanswered = (name: OperationName, values: string) =>
  operation(name, values, ERROR_TYPE_PLUGIN_TIMEOUT);
const silent = (name: OperationName) => ({
  value: 1,
  labels: { ...DAYTONA, [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name },
});

export const PLUGIN_CALLS_TEST: AlertTest = {
  alert: pluginCallsTimeOut,
  scenarios: [
    {
      title: 'fires for the operation that is never answered, beside many that are, and resolves',
      series: [
        executed,
        unanswered('realize_workspace', '_x60 1+1x59 60x300'),
        operation('realize_workspace', '_x120 1+1x240'),
      ],
      checks: [
        { at: 62 },
        { at: 80, ...silent('realize_workspace'), counts: [16, 16, SHORTLY] },
        { at: 160 },
      ],
    },
    {
      title: 'does not fire for commands that run out of their own time',
      series: [executed, operation('execute', '_x60 1+5x100', 'timeout')],
      checks: [{ at: 80 }, { at: 120 }],
    },
    {
      title: 'does not fire for calls that fail otherwise',
      series: [executed, refused('_x60 1+1x100')],
      checks: [{ at: 80 }, { at: 120 }],
    },
  ],
};

interface Lease {
  readonly status?: string;
  readonly policy?: string;
  readonly run?: string;
  readonly of?: Readonly<Record<string, string>>;
}

const LOCAL = { [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'local' };

/** What a server says of leases of one kind: how many there are, and the age of the oldest. */
function leases(
  { status = 'active', policy = 'ephemeral', run = 'ended', of = DAYTONA }: Lease,
  held: string,
  oldest: string,
  server = SERVER,
) {
  const attributes = {
    ...of,
    [ATTR_PAPERCLIP_LEASE_STATUS]: status,
    [ATTR_PAPERCLIP_LEASE_POLICY]: policy,
    [ATTR_PAPERCLIP_LEASE_RUN]: run,
  };
  return [
    counted(METRIC_PAPERCLIP_LEASE_HELD, attributes, held, server),
    counted(METRIC_PAPERCLIP_LEASE_OLDEST, attributes, oldest, server),
  ];
}

const WAITING = { status: 'pending_cleanup' };
const oldWaiting: Scenario = {
  title: 'fires when a lease waits that is older than an hour, and resolves when its sandbox is given up',
  series: leases(WAITING, '_x10 1x90 stale', '_x10 0+60x90 stale'),
  checks: [{ at: 60 }, { at: 75 }, { at: 85, value: 75 * 60, labels: DAYTONA }, { at: 110 }],
};

export const WAITING_TEST: AlertTest = {
  alert: leasesWaitForCleanup,
  scenarios: [
    ...NAMINGS.map((naming) => ({ ...oldWaiting, naming, title: `${oldWaiting.title} (${naming})` })),
    {
      title: 'fires when more and more leases wait, long before the oldest is an hour old',
      series: leases(WAITING, '_x60 1 2 3 4 5 5x100', '_x60 0+60x100'),
      checks: [{ at: 62 }, { at: 80, value: 20 * 60, labels: DAYTONA }],
    },
    {
      title: 'fires when the number grows from what it always is',
      series: leases(WAITING, '2x120 3 4 5 5x100', '600x300'),
      checks: [{ at: 110 }, { at: 140, value: 600, labels: DAYTONA }],
    },
    {
      title: 'does not fire for two that Paperclip soon gives back',
      series: leases(WAITING, '_x60 2x20 stale', '_x60 0+60x20 stale'),
      checks: [{ at: 75 }, { at: 90 }],
    },
    {
      title: 'does not fire for an old lease whose sandbox is given up at the second try',
      series: leases(WAITING, '_x60 1x6 stale', '_x60 9000+60x6 stale'),
      checks: [{ at: 66 }, { at: 72 }],
    },
    {
      title: 'does not fire for leases that do not wait, or have no sandbox',
      series: [
        ...leases({ run: 'live' }, '9x200', '9000x200'),
        ...leases({ status: 'retained' }, '9x200', '9000x200'),
        ...leases({ ...WAITING, of: LOCAL }, '9x200', '9000x200'),
      ],
      checks: [{ at: 60 }, { at: 120 }],
    },
  ],
};

export const STRANDED_TEST: AlertTest = {
  alert: leasesStranded,
  scenarios: [
    {
      title: 'fires while leases are held by runs that ended, and resolves when they are not',
      series: leases({}, '_x10 2x60 stale', '_x10 0+60x60 stale'),
      checks: [{ at: 15 }, { at: 25, value: 2, labels: DAYTONA }, { at: 80 }],
    },
    {
      title: 'counts leases once that two servers with one database tell of',
      series: [
        ...leases({ policy: 'retain_on_failure' }, '3x60', '600x60'),
        ...leases({ policy: 'retain_on_failure' }, '3x60', '600x60', OTHER_SERVER),
        ...leases({}, '1x60', '600x60', OTHER_SERVER),
      ],
      checks: [{ at: 30, value: 4, labels: DAYTONA }],
    },
    {
      title: 'fires for a lease that has had no run for a day',
      series: leases({ run: 'none' }, '1x200', '80000+60x200'),
      checks: [{ at: 100 }, { at: 120, value: 1, labels: DAYTONA }],
    },
    {
      title: 'does not fire for leases that are in use, kept on purpose, or without a sandbox',
      series: [
        ...leases({ run: 'live' }, '1x200', '9000x200'),
        ...leases({ run: 'none' }, '1x200', '9000x200'),
        ...leases({ status: 'retained' }, '1x200', '9000x200'),
        ...leases({ policy: 'reuse_by_environment' }, '1x200', '9000x200'),
        ...leases({ policy: 'reuse_by_execution_workspace' }, '1x200', '9000x200'),
        ...leases(WAITING, '1x200', '9000x200'),
        ...leases({ of: LOCAL }, '1x200', '9000x200'),
      ],
      checks: [{ at: 30 }, { at: 120 }],
    },
    {
      title: 'does not fire for a lease that is given back minutes after its run',
      series: leases({}, '_x10 1x8 stale', '_x10 9000x8 stale'),
      checks: [{ at: 15 }, { at: 25 }],
    },
  ],
};

const underWay = (name: OperationName, values: string, server?: string) =>
  counted(
    METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST,
    { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name, ...DAYTONA },
    values,
    server,
  );
const hanging = (name: OperationName, value: number, server = SERVER) => ({
  value,
  labels: { ...DAYTONA, [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name, [INSTANCE]: server },
});
const ACQUIRE = 'acquire_run_lease' satisfies OperationName;

export const OPERATION_HANGS_TEST: AlertTest = {
  alert: operationHangs,
  scenarios: [
    ...NAMINGS.map((naming) => ({
      title: `fires for an acquire that has not ended after a quarter of an hour, and resolves when it ends (${naming})`,
      naming,
      series: [underWay(ACQUIRE, '_x10 0+60x30 stale')],
      checks: [{ at: 25 }, { at: 30, ...hanging(ACQUIRE, 20 * 60) }, { at: 50 }],
    })),
    {
      title: 'names the server on which it hangs',
      series: [underWay(ACQUIRE, '5x100'), underWay(ACQUIRE, '0+60x100', OTHER_SERVER)],
      checks: [{ at: 30, ...hanging(ACQUIRE, 30 * 60, OTHER_SERVER) }],
    },
    {
      title:
        'does not fire for operations that end, one after the other, nor for a command that runs for hours',
      series: [underWay(ACQUIRE, '0+60x13 0+60x13 0+60x13 0+60x13'), underWay('execute', '0+60x300')],
      checks: [{ at: 20 }, { at: 40 }, { at: 200 }],
    },
  ],
};

export const EXECUTE_HANGS_TEST: AlertTest = {
  alert: executeHangs,
  scenarios: [
    {
      title: 'fires for a command that has not ended after a day, and resolves when it ends',
      series: [underWay('execute', '80000+60x150 stale')],
      checks: [{ at: 100 }, { at: 120, ...hanging('execute', 87_200) }, { at: 170 }],
    },
    {
      title: 'does not fire for another operation',
      series: [underWay(ACQUIRE, '80000+60x200')],
      checks: [{ at: 100 }, { at: 120 }],
    },
  ],
};
