import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  completeLease,
  environment,
  incompleteLease,
  MISSING,
  makeDriver,
  makeService,
  nonPluginLease,
  on,
  UNSUPPORTED,
} from '../support/host.js';
import { deferred, TestTelemetry } from '../support/telemetry.js';

let telemetry: TestTelemetry;
beforeEach(() => {
  telemetry = new TestTelemetry();
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-30T12:00:30Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const owner = {
  'paperclip.company.id': 'company-1',
  'paperclip.issue.id': 'issue-1',
  'paperclip.run.id': 'run-1',
};
const leaseAttributes = {
  'paperclip.lease.id': 'lease-1',
  'paperclip.lease.provider_lease_id': 'provider-lease-1',
  'paperclip.lease.status': 'active',
  'paperclip.lease.policy': 'ephemeral',
  'paperclip.lease.age': 30,
  'paperclip.lease.time_to_expiry': 3570,
};

describe('an operation that succeeds', () => {
  it('is one span without an error and one point', async () => {
    const driver = telemetry.instrument().instrumentDriver(makeDriver());
    await driver.execute(on());
    const span = telemetry.span();
    expect(span.name).toBe('execute sandbox');
    expect(span.kind).toBe(SpanKind.INTERNAL);
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span.events).toEqual([]);
    expect(span.attributes).toEqual({
      'paperclip.environment.operation.name': 'execute',
      'paperclip.environment.id': 'env-1',
      'paperclip.environment.driver': 'sandbox',
      'paperclip.environment.provider': 'daytona',
      'paperclip.lease.shape': 'plugin_complete',
      ...leaseAttributes,
      ...owner,
      'process.exit.code': 3,
      'paperclip.execute.timed_out': false,
    });
    expect(span.instrumentationScope).toMatchObject({
      name: 'opentelemetry-instrumentation-paperclip',
      version: '0.1.0',
    });
    expect(await telemetry.durations()).toEqual([
      {
        attributes: {
          'paperclip.environment.operation.name': 'execute',
          'paperclip.environment.driver': 'sandbox',
          'paperclip.environment.provider': 'daytona',
          'paperclip.lease.shape': 'plugin_complete',
        },
        count: 1,
      },
    ]);
    expect(await telemetry.active()).toBe(0);
  });

  it('counts as active while it is under way', async () => {
    const gate = deferred<void>();
    const driver = telemetry.instrument().instrumentDriver({ driver: 'ssh', execute: () => gate.promise });
    const running = driver.execute();
    expect(await telemetry.metric('paperclip.environment.operation.active')).toMatchObject([
      {
        attributes: {
          'paperclip.environment.operation.name': 'execute',
          'paperclip.environment.driver': 'ssh',
        },
        value: 1,
      },
    ]);
    gate.resolve();
    await running;
    expect(await telemetry.active()).toBe(0);
  });
});

describe('an operation that fails', () => {
  it.each([
    {
      lease: nonPluginLease,
      message: UNSUPPORTED,
      shape: { 'paperclip.lease.shape': 'non_plugin' },
      tag: 'unsupported-driver-operation',
      slug: 'sandbox-driver-does-not-support-duplex-channels-fo',
    },
    {
      lease: incompleteLease,
      message: MISSING,
      shape: {
        'paperclip.lease.shape': 'plugin_incomplete',
        'paperclip.lease.provider_lease_id': undefined,
        'paperclip.lease.missing_fields': 'metadata.pluginId,metadata.provider,providerLeaseId',
      },
      tag: 'missing-metadata-field',
      slug: 'sandbox-duplex-channel-needs-a-plugin-id-a-provid',
    },
  ])('is classified on span and point: $tag', async ({ lease, message, shape, tag, slug }) => {
    const driver = telemetry.instrument().instrumentDriver(makeDriver());
    expect(await caught(driver.openDuplexChannel(on(lease)))).toEqual(new Error(message));
    const span = telemetry.span();
    expect(span.name).toBe('open_duplex_channel sandbox');
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message });
    expect(span.attributes).toEqual({
      'paperclip.environment.operation.name': 'open_duplex_channel',
      'paperclip.environment.id': 'env-1',
      'paperclip.environment.driver': 'sandbox',
      'paperclip.environment.provider': 'daytona',
      ...leaseAttributes,
      ...owner,
      ...shape,
      'error.type': tag,
      'paperclip.error.background_tag': tag,
      'paperclip.error.slug': slug,
    });
    expect(await telemetry.durations()).toEqual([
      {
        attributes: {
          'paperclip.environment.operation.name': 'open_duplex_channel',
          'paperclip.environment.driver': 'sandbox',
          'paperclip.environment.provider': 'daytona',
          'paperclip.lease.shape': shape['paperclip.lease.shape'],
          'error.type': tag,
        },
        count: 1,
      },
    ]);
  });

  it('carries the same error.type on span and point where the error is not classified', async () => {
    const error = Object.assign(new Error('x'), { code: 'ECONNRESET' });
    const driver = telemetry.instrument().instrumentDriver({ execute: () => Promise.reject(error) });
    expect(await caught(driver.execute())).toBe(error);
    expect(telemetry.span().name).toBe('execute');
    expect(telemetry.span().status).toEqual({ code: SpanStatusCode.ERROR });
    expect(telemetry.span().attributes).toEqual({
      'paperclip.environment.operation.name': 'execute',
      'paperclip.lease.shape': 'absent',
      'error.type': 'ECONNRESET',
    });
    expect((await telemetry.durations())[0]?.attributes).toEqual({
      'paperclip.environment.operation.name': 'execute',
      'paperclip.lease.shape': 'absent',
      'error.type': 'ECONNRESET',
    });
  });
});

describe('a failure that is returned instead of thrown', () => {
  const kept = { ...completeLease, status: 'pending_cleanup', cleanupStatus: 'failed' };
  const ofLease = {
    'paperclip.environment.driver': 'sandbox',
    'paperclip.environment.provider': 'daytona',
    'paperclip.lease.shape': 'plugin_complete',
  };

  it.each([
    ['release_run_lease', 'releaseRunLease'],
    ['destroy_run_lease', 'destroyRunLease'],
    ['retry_pending_sandbox_teardown', 'retryPendingSandboxTeardown'],
  ] as const)('is a failed %s where the sandbox may be left', async (name, method) => {
    const responses: object[] = [];
    const instrumentation = telemetry.instrument({
      responseHook: (_span, response) => responses.push(response),
    });
    const teardown = async (_input: object) => kept;
    const driver = instrumentation.instrumentDriver({
      driver: 'sandbox',
      releaseRunLease: teardown,
      destroyRunLease: teardown,
      retryPendingSandboxTeardown: teardown,
    });
    const input = { ...on(), status: 'released' };
    expect(await driver[method](input)).toBe(kept);
    const span = telemetry.span();
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span.events).toEqual([]);
    expect(span.attributes).toEqual({
      'paperclip.environment.operation.name': name,
      'paperclip.environment.id': 'env-1',
      ...ofLease,
      ...leaseAttributes,
      ...owner,
      'paperclip.lease.status': 'pending_cleanup',
      'paperclip.lease.cleanup.status': 'failed',
      'error.type': 'lease_cleanup_failed',
    });
    expect(await telemetry.durations()).toEqual([
      {
        attributes: {
          'paperclip.environment.operation.name': name,
          ...ofLease,
          'error.type': 'lease_cleanup_failed',
        },
        count: 1,
      },
    ]);
    expect(await telemetry.histogram('paperclip.lease.duration')).toEqual([]);
    // Nothing was thrown, so a hook is given what came back.
    expect(responses).toEqual([{ operation: name, args: [input], result: kept }]);
  });

  it('has no exception in the log', async () => {
    vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs/dup');
    const driver = telemetry
      .instrument()
      .instrumentDriver({ releaseRunLease: async (_input: object) => kept });
    vi.unstubAllEnvs();
    await driver.releaseRunLease(on());
    expect(telemetry.logs()).toEqual([]);
  });

  it('is none where the sandbox is gone: the span says how the lease ended', async () => {
    const released = { ...completeLease, status: 'expired', cleanupStatus: 'success' };
    const driver = telemetry
      .instrument()
      .instrumentDriver({ releaseRunLease: async (_input: object) => released });
    await driver.releaseRunLease({ ...on(), status: 'expired' });
    expect(telemetry.span().status).toEqual({ code: SpanStatusCode.UNSET });
    expect(telemetry.span().attributes).toMatchObject({
      'paperclip.lease.status': 'expired',
      'paperclip.lease.cleanup.status': 'success',
      'paperclip.lease.end': 'expired',
    });
  });

  it('is none of a teardown that returns what the worker of the provider says', async () => {
    const receipt = { status: 'terminated', cleanupStatus: 'failed' };
    const driver = telemetry.instrument().instrumentDriver({
      retryPendingSandboxTeardown: async (_input: object) => receipt,
    });
    await driver.retryPendingSandboxTeardown(on());
    expect(telemetry.span().status).toEqual({ code: SpanStatusCode.UNSET });
    expect(telemetry.span().attributes['paperclip.lease.status']).toBe('active');
  });

  it('is a timeout where the command of an execute ran out of time', async () => {
    const driver = telemetry.instrument().instrumentDriver({
      execute: async (_input: object) => ({ exitCode: null, timedOut: true }),
    });
    await driver.execute(on());
    expect(telemetry.span().status).toEqual({ code: SpanStatusCode.ERROR });
    expect(telemetry.span().attributes).toMatchObject({
      'paperclip.execute.timed_out': true,
      'error.type': 'timeout',
    });
    expect((await telemetry.durations())[0]?.attributes).toMatchObject({ 'error.type': 'timeout' });
  });

  it('ends a re-acquire as a failed operation does', async () => {
    const lease = { ...completeLease, id: 'lease-2' };
    const results = [Promise.reject(new Error(MISSING)), Promise.resolve({ timedOut: true })];
    const driver = telemetry.instrument().instrumentDriver({
      driver: 'sandbox',
      acquireRunLease: async (_input: object) => lease,
      execute: (_input: object) => results.shift(),
    });
    await caught(Promise.resolve(driver.execute(on())));
    await driver.acquireRunLease({ ...completeLease, environment });
    await driver.execute(on(lease));
    expect(
      (await telemetry.metric('paperclip.lease.reacquires')).map(({ attributes }) => attributes),
    ).toEqual([
      {
        'paperclip.environment.provider': 'daytona',
        'paperclip.lease.reacquire.outcome': 'operation_failed',
      },
    ]);
  });
});

describe('the provider', () => {
  it.each(['local', 'ssh'])('is left out where the driver is %s, which has none', async (key) => {
    // As Paperclip writes the leases of these drivers.
    const lease = {
      ...completeLease,
      provider: key,
      providerLeaseId: 'ssh://me@host/home',
      metadata: { driver: key },
    };
    const driver = telemetry.instrument().instrumentDriver({
      driver: key,
      acquireRunLease: async (_input: object) => lease,
      releaseRunLease: async (_input: object) => ({ ...lease, status: 'released' }),
    });
    await driver.acquireRunLease({ environment: { driver: key, config: {} } });
    await driver.releaseRunLease({ environment: { driver: key, config: {} }, lease });
    for (const { attributes } of telemetry.spans()) {
      expect(attributes['paperclip.environment.driver']).toBe(key);
      expect(attributes).not.toHaveProperty('paperclip.environment.provider');
      expect(attributes).not.toHaveProperty('paperclip.lease.provider_lease_id');
    }
    for (const metric of ['paperclip.environment.operation.duration', 'paperclip.lease.duration'])
      for (const { attributes } of await telemetry.histogram(metric))
        expect(attributes).not.toHaveProperty('paperclip.environment.provider');
  });

  it('is the same on an acquire and on the lease of the driver plugin', async () => {
    const key = 'plugin:acme:box';
    const lease = { ...completeLease, provider: key, metadata: { driver: 'plugin' } };
    const driver = telemetry.instrument({ providers: [key] }).instrumentDriver({
      driver: 'plugin',
      acquireRunLease: async (_input: object) => lease,
      execute: async (_input: object) => ({ exitCode: 0 }),
    });
    const ofPlugin = { driver: 'plugin', config: { pluginKey: 'acme', driverKey: 'box' } };
    await driver.acquireRunLease({ environment: ofPlugin });
    await driver.execute({ environment: ofPlugin, lease });
    const providers = telemetry.spans().map(({ attributes }) => attributes['paperclip.environment.provider']);
    expect(providers).toEqual([key, key]);
  });
});

it.each([
  ['a name', 'sandbox_1.a:b-C', true],
  ['128 characters', 'x'.repeat(128), true],
  ['129 characters', 'x'.repeat(129), false],
  ['a URL', 'https://provider.example/sandboxes/1', false],
  ['a path', '/sandboxes/1', false],
  ['two words', 'sandbox 1', false],
])(
  "tells the provider's own id of a sandbox where that is %s: %s is %s",
  async (_kind, providerLeaseId, isTold) => {
    await telemetry
      .instrument()
      .instrumentDriver(makeDriver())
      .execute(on({ ...completeLease, providerLeaseId }));
    const told = telemetry.span().attributes['paperclip.lease.provider_lease_id'];
    expect(told).toBe(isTold ? providerLeaseId : undefined);
  },
);

it('takes a text that an agent printed for no failure of the lease', async () => {
  const forged = new Error(`command failed: exit 1: ${MISSING}`);
  const driver = telemetry.instrument().instrumentDriver({
    driver: 'sandbox',
    execute: async (_input: object) => Promise.reject(forged),
    acquireRunLease: async (_input: object) => completeLease,
  });
  await caught(driver.execute(on()));
  await driver.acquireRunLease({ ...completeLease, environment });
  expect(telemetry.spans()[0]?.attributes).toMatchObject({ 'error.type': 'Error' });
  expect(telemetry.spans()[1]?.attributes).not.toHaveProperty('paperclip.recovery.kind');
  // Where the lease lacks the fields, the text is believed.
  await caught(driver.execute(on(incompleteLease)));
  expect(telemetry.spans()[2]?.attributes).toMatchObject({ 'error.type': 'missing-metadata-field' });
});

describe('a service method that calls the same method of its driver', () => {
  it('is one span and one point', async () => {
    const service = telemetry.instrument().instrumentRuntime(makeService());
    await caught(service.openDuplexChannel(on(nonPluginLease)));
    expect(telemetry.spanNames()).toEqual(['open_duplex_channel sandbox']);
    expect((await telemetry.durations()).map(({ count }) => count)).toEqual([1]);
    expect(telemetry.span().events).toHaveLength(1);
  });

  it('learns from the driver what the service did not know', async () => {
    const driver = makeDriver();
    const service = {
      getDriver: () => driver,
      execute: (leaseId: string) => driver.execute({ ...on(), leaseId } as never),
    };
    await telemetry.instrument().instrumentRuntime(service).execute('lease-1');
    expect(telemetry.span().name).toBe('execute sandbox');
    expect(telemetry.span().attributes).toMatchObject({
      'paperclip.environment.driver': 'sandbox',
      'paperclip.environment.provider': 'daytona',
      'paperclip.lease.shape': 'plugin_complete',
      'paperclip.lease.id': 'lease-1',
      'paperclip.run.id': 'run-1',
    });
    expect((await telemetry.durations())[0]?.attributes).toMatchObject({
      'paperclip.environment.driver': 'sandbox',
      'paperclip.lease.shape': 'plugin_complete',
    });
    expect(await telemetry.active()).toBe(0);
  });

  it('has a child span for each lease that releaseRunLeases releases', async () => {
    const service = telemetry.instrument().instrumentRuntime(makeService());
    await service.releaseRunLeases('run-1', 'released', [on(), on()]);
    expect(telemetry.spanNames()).toEqual([
      'release_run_lease sandbox',
      'release_run_lease sandbox',
      'release_run_leases',
    ]);
    const [first, second, parent] = telemetry.spans();
    expect(first?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
    expect(second?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
    expect(parent?.attributes).toEqual({
      'paperclip.environment.operation.name': 'release_run_leases',
      'paperclip.lease.shape': 'absent',
      'paperclip.run.id': 'run-1',
    });
  });

  it('is two operations where a driver calls another driver', async () => {
    const instrumentation = telemetry.instrument();
    const inner = instrumentation.instrumentDriver(makeDriver());
    const outer = instrumentation.instrumentDriver({
      driver: 'plugin',
      execute: (input: Parameters<typeof inner.execute>[0]) => inner.execute(input),
    });
    await outer.execute(on());
    expect(telemetry.spanNames()).toEqual(['execute sandbox', 'execute plugin']);
  });

  it('is one operation where a method calls the one it overrides', async () => {
    class Base {
      driver = 'ssh';
      async execute() {
        return { exitCode: 0 };
      }
    }
    class Derived extends Base {
      override async execute() {
        return await super.execute();
      }
    }
    const instrumentation = telemetry.instrument();
    instrumentation.instrumentDriver(new Base());
    const driver = instrumentation.instrumentDriver(new Derived());
    await driver.execute();
    expect(telemetry.spanNames()).toEqual(['execute ssh']);
  });
});

describe('an acquire', () => {
  const input = {
    environment,
    companyId: 'company-1',
    agentId: 'agent-1',
    issueId: 'issue-1',
    heartbeatRunId: 'run-1',
  };

  it.each(['service', 'driver'])('says on the %s which lease it got, and how', async (level) => {
    const service = telemetry.instrument().instrumentRuntime(makeService());
    await (level === 'service' ? service : makeDriverOf(service)).acquireRunLease(input);
    expect(telemetry.span().name).toBe('acquire_run_lease sandbox');
    expect(telemetry.span().attributes).toEqual({
      'paperclip.environment.operation.name': 'acquire_run_lease',
      'paperclip.environment.id': 'env-1',
      'paperclip.environment.driver': 'sandbox',
      'paperclip.environment.provider': 'daytona',
      'paperclip.lease.shape': 'absent',
      'paperclip.lease.id': 'lease-1',
      'paperclip.lease.provider_lease_id': 'provider-lease-1',
      'paperclip.lease.status': 'active',
      'paperclip.lease.policy': 'ephemeral',
      'paperclip.lease.acquisition.outcome': 'created',
      'paperclip.agent.id': 'agent-1',
      ...owner,
    });
    expect((await telemetry.durations())[0]?.attributes).toEqual({
      'paperclip.environment.operation.name': 'acquire_run_lease',
      'paperclip.environment.driver': 'sandbox',
      'paperclip.environment.provider': 'daytona',
      'paperclip.lease.shape': 'absent',
      'paperclip.lease.acquisition.outcome': 'created',
    });
  });

  function makeDriverOf(service: ReturnType<typeof makeService>) {
    const driver = service.getDriver('sandbox');
    if (driver === null) throw new Error('no driver');
    return driver;
  }
});

describe('the duration of a lease', () => {
  it.each([
    ['released', 'releaseRunLease', 'released', 'released'],
    ['expired', 'releaseRunLease', 'expired', 'expired'],
    ['failed', 'releaseRunLease', 'failed', 'failed'],
    ['destroyed', 'destroyRunLease', 'failed', 'destroyed'],
  ] as const)('is measured when it is %s', async (_title, method, status, end) => {
    const driver = telemetry.instrument().instrumentDriver(makeDriver());
    await driver[method]({ ...on(), status });
    expect(await telemetry.histogram('paperclip.lease.duration')).toEqual([
      {
        attributes: {
          'paperclip.environment.driver': 'sandbox',
          'paperclip.environment.provider': 'daytona',
          'paperclip.lease.end': end,
        },
        count: 1,
      },
    ]);
    expect(telemetry.span().attributes['paperclip.lease.end']).toBe(end);
  });

  it.each([
    ['retained', { ...completeLease, status: 'retained' }],
    ['waiting for its teardown', { ...completeLease, status: 'pending_cleanup' }],
    ['gone already', null],
  ])('is not measured when it is %s', async (_title, returned) => {
    const driver = telemetry.instrument().instrumentDriver({
      releaseRunLease: async (_input: object) => returned,
      destroyRunLease: async (_input: object) => returned,
    });
    await driver.releaseRunLease({ ...on(), status: 'released' });
    await driver.destroyRunLease(on());
    expect(await telemetry.histogram('paperclip.lease.duration')).toEqual([]);
  });
});

it('tells a lease that has expired by a negative time to its expiry', async () => {
  vi.setSystemTime(new Date('2026-11-30T13:00:05Z'));
  await telemetry.instrument().instrumentDriver(makeDriver()).execute(on());
  expect(telemetry.span().attributes['paperclip.lease.time_to_expiry']).toBe(-5);
});

describe('closed sets', () => {
  it('stand _OTHER in for driver, provider, status, policy and outcome that are not in them', async () => {
    const driver = telemetry.instrument().instrumentDriver({
      driver: 'microvm',
      acquireRunLease: async (_input: object) => ({
        id: 'l',
        status: 'hibernating',
        leasePolicy: 'forever',
        metadata: { sandboxLeaseAcquisition: { outcome: 'stolen' } },
      }),
    });
    await driver.acquireRunLease({ environment: { driver: 'microvm', config: { provider: 'acme' } } });
    expect(telemetry.span().name).toBe('acquire_run_lease _OTHER');
    expect(telemetry.span().attributes).toEqual({
      'paperclip.environment.operation.name': 'acquire_run_lease',
      'paperclip.environment.driver': '_OTHER',
      'paperclip.environment.provider': '_OTHER',
      'paperclip.lease.shape': 'absent',
      'paperclip.lease.id': 'l',
      'paperclip.lease.status': '_OTHER',
      'paperclip.lease.policy': '_OTHER',
      'paperclip.lease.acquisition.outcome': '_OTHER',
    });
  });

  it('are extended by the providers that the operator names', async () => {
    const driver = telemetry.instrument({ providers: ['acme'] }).instrumentDriver(makeDriver());
    await driver.execute(on({ ...completeLease, metadata: { ...completeLease.metadata, provider: 'acme' } }));
    expect(telemetry.span().attributes['paperclip.environment.provider']).toBe('acme');
  });
});

it('leaves every id out with captureIds: false', async () => {
  const service = telemetry.instrument({ captureIds: false }).instrumentRuntime(makeService());
  await service.acquireRunLease({ ...completeLease, environment });
  await service.execute(on());
  const keys = telemetry.spans().flatMap((span) => Object.keys(span.attributes));
  expect(keys.filter((key) => key.endsWith('id'))).toEqual([]);
});
