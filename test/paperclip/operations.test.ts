import { OPERATION_NAMES } from 'opentelemetry-instrumentation-paperclip/semconv';
import { beforeAll, describe, expect, test } from 'vitest';
import { durations, failed, leaseDuration, span } from './expected.js';
import { type Attributes, type Exported, NODES, type Played, play, stepOf } from './harness.js';

const OWNER = {
  'paperclip.company.id': 'company-1',
  'paperclip.issue.id': 'issue-1',
  'paperclip.run.id': 'run-1',
};
const ON_LEASE = {
  ...OWNER,
  'paperclip.environment.id': 'environment-1',
  'paperclip.lease.id': 'lease-1',
  'paperclip.lease.provider_lease_id': 'provider-lease-1',
  'paperclip.lease.status': 'active',
  'paperclip.lease.policy': 'ephemeral',
  'paperclip.lease.age': '<seconds>',
  'paperclip.lease.time_to_expiry': '<seconds>',
};
const ACQUIRING = {
  ...OWNER,
  'paperclip.environment.id': 'environment-1',
  'paperclip.agent.id': 'agent-1',
};
/** What the lease that an acquire returned adds to its span. */
const ACQUIRED = {
  'paperclip.lease.id': 'lease-new',
  'paperclip.lease.provider_lease_id': 'provider-lease-2',
  'paperclip.lease.status': 'active',
  'paperclip.lease.policy': 'ephemeral',
};
const EXECUTED = { 'process.exit.code': 3, 'paperclip.execute.timed_out': false };

interface Case {
  driver: 'sandbox' | 'plugin';
  method: string;
  operation: string;
  /** Dimensions of the point, beside operation and driver. */
  dimensions: Attributes;
  /** Attributes of the span, beside those of the point. */
  details: Attributes;
  /** What success adds to the span. */
  result?: Attributes;
  /** What success adds to the span and the point. */
  outcome?: Attributes;
  /** How the lease ended, where success ends it. */
  end?: string;
  /** Status of the lease that a teardown returns, where it succeeds. */
  status?: string;
  /** The driver catches the worker's failure, and returns the lease for a later clean-up. */
  returnsFailure?: boolean;
}

const SANDBOX: Pick<Case, 'driver' | 'dimensions' | 'details'> = {
  driver: 'sandbox',
  dimensions: {
    'paperclip.environment.provider': 'daytona',
    'paperclip.lease.shape': 'plugin_complete',
  },
  details: ON_LEASE,
};
const PLUGIN: Pick<Case, 'driver' | 'dimensions' | 'details'> = {
  driver: 'plugin',
  // The plug-in driver's provider keys are made of the names of plug-ins, which are anybody's.
  dimensions: { 'paperclip.environment.provider': '_OTHER', 'paperclip.lease.shape': 'non_plugin' },
  details: ON_LEASE,
};

const CASES: Case[] = [
  {
    ...SANDBOX,
    method: 'acquireRunLease',
    operation: 'acquire_run_lease',
    dimensions: { 'paperclip.environment.provider': 'daytona', 'paperclip.lease.shape': 'absent' },
    details: ACQUIRING,
    result: ACQUIRED,
    outcome: { 'paperclip.lease.acquisition.outcome': 'created' },
  },
  { ...SANDBOX, method: 'realizeWorkspace', operation: 'realize_workspace' },
  { ...SANDBOX, method: 'execute', operation: 'execute', result: EXECUTED },
  { ...SANDBOX, method: 'syncIn', operation: 'sync_in' },
  { ...SANDBOX, method: 'syncOut', operation: 'sync_out' },
  { ...SANDBOX, method: 'openDuplexChannel', operation: 'open_duplex_channel' },
  { ...SANDBOX, method: 'getRunnerIngressEndpoint', operation: 'get_runner_ingress_endpoint' },
  { ...SANDBOX, method: 'retryPendingSandboxTeardown', operation: 'retry_pending_sandbox_teardown' },
  {
    ...SANDBOX,
    method: 'destroyRunLease',
    operation: 'destroy_run_lease',
    end: 'destroyed',
    status: 'expired',
    returnsFailure: true,
  },
  {
    ...PLUGIN,
    method: 'acquireRunLease',
    operation: 'acquire_run_lease',
    dimensions: { 'paperclip.environment.provider': '_OTHER', 'paperclip.lease.shape': 'absent' },
    details: ACQUIRING,
    result: ACQUIRED,
  },
  { ...PLUGIN, method: 'realizeWorkspace', operation: 'realize_workspace' },
  { ...PLUGIN, method: 'execute', operation: 'execute', result: EXECUTED },
  { ...PLUGIN, method: 'resumeRunLease', operation: 'resume_run_lease' },
  {
    ...PLUGIN,
    method: 'destroyRunLease',
    operation: 'destroy_run_lease',
    end: 'destroyed',
    status: 'failed',
  },
];
const RELEASES: Case[] = [
  {
    ...SANDBOX,
    method: 'releaseRunLease',
    operation: 'release_run_lease',
    end: 'released',
    status: 'released',
    returnsFailure: true,
  },
  {
    ...PLUGIN,
    method: 'releaseRunLease',
    operation: 'release_run_lease',
    end: 'released',
    status: 'released',
  },
];

/** The span of one call, and its points, as the case says they are. */
function expected(of: Case, outcome: 'succeeds' | 'fails', parent: number | null = null) {
  const which = {
    'paperclip.environment.operation.name': of.operation,
    'paperclip.environment.driver': of.driver,
  };
  const hasFailed = outcome === 'fails';
  const errorType = of.returnsFailure ? 'lease_cleanup_failed' : 'RangeError';
  const ended = hasFailed ? { 'error.type': errorType } : of.outcome;
  return {
    span: span({
      name: `${of.operation} ${of.driver}`,
      attributes: {
        ...which,
        ...of.dimensions,
        ...of.details,
        ...ended,
        ...(hasFailed ? {} : of.result),
        ...tornDown(of, outcome),
      },
      parent,
      ...(hasFailed ? { status: failed() } : {}),
    }),
    point: { ...which, ...of.dimensions, ...ended },
    lease:
      outcome === 'succeeds' && of.end !== undefined
        ? [
            leaseDuration({
              'paperclip.environment.driver': of.driver,
              'paperclip.environment.provider': of.dimensions['paperclip.environment.provider'],
              'paperclip.lease.end': of.end,
            }),
          ]
        : [],
  };
}

/** What the lease that a teardown returns adds to its span. */
function tornDown({ driver, end, status, returnsFailure }: Case, outcome: 'succeeds' | 'fails'): Attributes {
  if (status === undefined || end === undefined) return {};
  if (outcome === 'fails' && !returnsFailure) return {};
  const of =
    outcome === 'succeeds'
      ? { status, cleanup: 'success', end }
      : { status: 'pending_cleanup', cleanup: 'failed' };
  return {
    'paperclip.lease.status': of.status,
    // The plug-in driver does not say.
    ...(driver === 'sandbox' ? { 'paperclip.lease.cleanup.status': of.cleanup } : {}),
    ...('end' in of ? { 'paperclip.lease.end': of.end } : {}),
  };
}

function alone(of: Case, outcome: 'succeeds' | 'fails'): Exported {
  const { span: its, point, lease } = expected(of, outcome);
  return { spans: [its], metrics: [durations(point), ...lease], logs: [] };
}

test('every operation is driven', () => {
  const driven = new Set([...CASES, ...RELEASES].map(({ operation }) => operation));
  expect([...driven, 'release_run_leases'].sort()).toEqual([...OPERATION_NAMES].sort());
});

describe.each(NODES)('lease operations, on $name', ({ path }) => {
  let played: Played;
  beforeAll(async () => {
    played = await play({ node: path, scenarios: ['operations'] });
  });

  describe.each(['succeeds', 'fails'] as const)('where the worker %s', (outcome) => {
    test.each(CASES)('$operation of the $driver driver is one span and one point', (of) => {
      const { exported } = stepOf(played, `${of.driver} driver.${of.method} ${outcome}`);
      expect(exported).toEqual(alone(of, outcome));
    });

    test.each(CASES)('$operation through the service is the same one, for $driver', (of) => {
      const { exported } = stepOf(played, `${of.driver} service.${of.method} ${outcome}`);
      expect(exported).toEqual(alone(of, outcome));
    });

    test.each(RELEASES)('$operation of the $driver driver is one span and one point', (of) => {
      const { exported } = stepOf(played, `${of.driver} driver.${of.method} ${outcome}`);
      expect(exported).toEqual(alone(of, outcome));
    });

    test.each(RELEASES)('release_run_leases is a span around the release by the $driver driver', (of) => {
      const { exported } = stepOf(played, `${of.driver} service.releaseRunLeases ${outcome}`);
      const { span: child, point, lease } = expected(of, outcome, 1);
      const all = { 'paperclip.environment.operation.name': 'release_run_leases' };
      expect(exported).toEqual({
        spans: [
          child,
          span({
            name: 'release_run_leases',
            attributes: { ...all, 'paperclip.lease.shape': 'absent', 'paperclip.run.id': 'run-1' },
          }),
        ],
        metrics: [durations(point, { ...all, 'paperclip.lease.shape': 'absent' }), ...lease],
        logs: [],
      });
    });
  });

  test.each(['driver', 'service'])('a channel that was opened through the %s works', (level) => {
    const { seen } = stepOf(played, `${level}: a channel in use`);
    expect(seen).toEqual({
      isPromise: true,
      value: {
        members: ['write', 'onData', 'onExit', 'stop', 'close'],
        received: ['hello'],
        exit: { exitCode: 0 },
      },
    });
  });
});
