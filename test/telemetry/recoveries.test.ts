import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PaperclipInstrumentation } from '../../src/index.js';
import {
  completeLease,
  environment,
  type HostDriver,
  incompleteLease,
  makeDriver,
  makeService,
  nonPluginLease,
  on,
} from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

const REQUESTS = 'paperclip.duplex.requests';
const REACQUIRES = 'paperclip.lease.reacquires';

let telemetry: TestTelemetry;
let instrumentation: PaperclipInstrumentation;
let driver: HostDriver;
let now: number;
beforeEach(() => {
  now = 1_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  telemetry = new TestTelemetry();
  instrumentation = telemetry.instrument();
  driver = instrumentation.instrumentDriver(makeDriver());
});
afterEach(() => {
  instrumentation.disable();
  vi.restoreAllMocks();
});

const acquireInput = { ...completeLease, environment };
const fails = (promise: Promise<unknown>) => expect(promise).rejects.toThrow();
const spanOf = (name: string, last = false) => {
  const spans = telemetry.spans().filter((span) => span.name === `${name} sandbox`);
  return last ? spans.at(-1) : spans[0];
};

describe('a refused open', () => {
  it('that an execute on the same lease follows is one fallback, and the two are linked', async () => {
    await fails(driver.openDuplexChannel(on(nonPluginLease)));
    now += 30_000;
    await driver.execute(on(nonPluginLease));
    await driver.execute(on(nonPluginLease));
    expect(await telemetry.counter(REQUESTS)).toEqual([
      {
        attributes: {
          'paperclip.environment.provider': 'daytona',
          'paperclip.duplex.outcome': 'fallback',
          'paperclip.duplex.fallback.reason': 'unsupported-driver-operation',
          'error.type': 'unsupported-driver-operation',
        },
        value: 1,
      },
    ]);
    const fallback = spanOf('execute');
    expect(fallback?.attributes['paperclip.recovery.kind']).toBe('fallback');
    expect(fallback?.links.map(({ context }) => context.spanId)).toEqual([
      spanOf('open_duplex_channel')?.spanContext().spanId,
    ]);
    expect(spanOf('execute', true)?.links).toEqual([]);
    expect(spanOf('execute', true)?.attributes).not.toHaveProperty('paperclip.recovery.kind');
  });

  it('that no execute follows within the window is one failure, reported when metrics are collected', async () => {
    await fails(driver.openDuplexChannel(on(nonPluginLease)));
    now += 30_000;
    expect(await telemetry.counter(REQUESTS)).toEqual([]);
    now += 1;
    const failed = [
      {
        attributes: {
          'paperclip.environment.provider': 'daytona',
          'paperclip.duplex.outcome': 'failed',
          'error.type': 'unsupported-driver-operation',
        },
        value: 1,
      },
    ];
    expect(await telemetry.counter(REQUESTS)).toEqual(failed);
    await driver.execute(on(nonPluginLease));
    expect(await telemetry.counter(REQUESTS)).toEqual(failed);
    expect(spanOf('execute')?.links).toEqual([]);
  });

  it('on another lease has nothing to do with an execute', async () => {
    await fails(driver.openDuplexChannel(on(nonPluginLease)));
    await driver.execute(on({ ...completeLease, id: 'lease-2' }));
    expect(spanOf('execute')?.links).toEqual([]);
  });

  it('through the service is one request, not two', async () => {
    const service = instrumentation.instrumentRuntime(makeService({}, { drivers: [driver] }));
    await fails(service.openDuplexChannel(on(nonPluginLease)));
    await service.execute(on(nonPluginLease));
    expect((await telemetry.counter(REQUESTS)).map(({ value }) => value)).toEqual([1]);
  });
});

it('an open that succeeds is one request that was opened', async () => {
  await driver.openDuplexChannel(on());
  expect(await telemetry.counter(REQUESTS)).toEqual([
    {
      attributes: { 'paperclip.environment.provider': 'daytona', 'paperclip.duplex.outcome': 'opened' },
      value: 1,
    },
  ]);
});

describe('a failure for missing metadata', () => {
  const reacquires = async () =>
    (await telemetry.counter(REACQUIRES)).map(({ attributes, value }) => [
      attributes['paperclip.lease.reacquire.outcome'],
      value,
    ]);

  it('that a fresh lease and a second try follow is one re-acquire and one request, linked', async () => {
    await fails(driver.openDuplexChannel(on(incompleteLease)));
    now += 2_000;
    await driver.acquireRunLease(acquireInput);
    now += 1_000;
    await driver.openDuplexChannel(on(completeLease));
    const attributes = {
      'paperclip.environment.provider': 'daytona',
      'paperclip.lease.reacquire.outcome': 'succeeded',
    };
    expect(await telemetry.counter(REACQUIRES)).toEqual([{ attributes, value: 1 }]);
    expect(await telemetry.metric('paperclip.lease.reacquire.duration')).toMatchObject([
      { attributes, value: { count: 1, sum: 3 } },
    ]);
    const failure = spanOf('open_duplex_channel')?.spanContext().spanId;
    for (const span of [spanOf('acquire_run_lease'), spanOf('open_duplex_channel', true)]) {
      expect(span?.attributes['paperclip.recovery.kind']).toBe('reacquire');
      expect(span?.links.map(({ context }) => context.spanId)).toEqual([failure]);
    }
    expect(
      (await telemetry.counter(REQUESTS)).map((point) => [
        point.attributes['paperclip.duplex.outcome'],
        point.value,
      ]),
    ).toEqual([['opened', 1]]);
  });

  it('is one request however long its re-acquire takes: the window of a fallback is no limit to it', async () => {
    const outcomes = async () =>
      (await telemetry.counter(REQUESTS)).map((point) => [
        point.attributes['paperclip.duplex.outcome'],
        point.value,
      ]);
    await fails(driver.openDuplexChannel(on(incompleteLease)));
    now += 20_000;
    const slow = instrumentation.instrumentDriver({
      ...makeDriver(),
      acquireRunLease: async (_input: object) => {
        now += 45_000;
        return { ...completeLease };
      },
    });
    await slow.acquireRunLease(acquireInput);
    expect(await outcomes()).toEqual([]);
    now += 299_000;
    await driver.openDuplexChannel(on(completeLease));
    expect(await outcomes()).toEqual([['opened', 1]]);
    expect(await reacquires()).toEqual([['succeeded', 1]]);
  });

  it('is a fallback where the acquire fails after a long time and the work is then done by execute', async () => {
    await fails(driver.openDuplexChannel(on(incompleteLease)));
    const slow = instrumentation.instrumentDriver({
      ...makeDriver(),
      acquireRunLease: async (_input: object): Promise<never> => {
        now += 45_000;
        throw new Error('no capacity');
      },
    });
    await fails(slow.acquireRunLease(acquireInput));
    now += 30_000;
    await driver.execute(on(incompleteLease));
    expect(await reacquires()).toEqual([['acquire_failed', 1]]);
    expect((await telemetry.counter(REQUESTS)).map(({ attributes }) => attributes)).toMatchObject([
      { 'paperclip.duplex.outcome': 'fallback' },
    ]);
  });

  it('belongs to the issue where the acquire is for a new run of it', async () => {
    await fails(driver.openDuplexChannel(on(incompleteLease)));
    await driver.acquireRunLease({ ...acquireInput, heartbeatRunId: 'run-2' });
    await driver.openDuplexChannel(on(completeLease));
    expect(await reacquires()).toEqual([['succeeded', 1]]);
  });

  it('does not belong to another issue and run', async () => {
    await fails(driver.openDuplexChannel(on(incompleteLease)));
    await driver.acquireRunLease({ ...acquireInput, heartbeatRunId: 'run-2', issueId: 'issue-2' });
    expect(spanOf('acquire_run_lease')?.links).toEqual([]);
  });

  it('does not belong to another issue that shares the workspace: each of ten runs is a re-acquire of its own', async () => {
    const runs = Array.from({ length: 10 }, (_, n) => ({
      ...incompleteLease,
      id: `lease-${n}`,
      heartbeatRunId: `run-${n}`,
      issueId: `issue-${n}`,
      executionWorkspaceId: 'workspace-1',
    }));
    for (const lease of runs) await fails(driver.openDuplexChannel(on(lease)));
    await driver.acquireRunLease({ ...runs[9], environment });
    await driver.openDuplexChannel(on(completeLease));
    instrumentation.disable();
    expect(new Set(await reacquires())).toEqual(
      new Set([
        ['succeeded', 1],
        ['not_attempted', 9],
      ]),
    );
  });

  it.each([
    ['workspace', { executionWorkspaceId: 'workspace-1' }, { executionWorkspaceId: 'workspace-2' }],
    ['company', {}, { companyId: 'company-2' }],
  ])('belongs to the %s where no run and no issue is named', async (_name, owner, other) => {
    const nobody = { companyId: 'company-1', issueId: undefined, heartbeatRunId: undefined };
    await fails(driver.openDuplexChannel(on({ ...incompleteLease, ...nobody, ...owner } as never)));
    await driver.acquireRunLease({ ...nobody, ...other, environment });
    await driver.acquireRunLease({ ...nobody, ...owner, environment });
    expect(telemetry.spans().map(({ attributes }) => attributes['paperclip.recovery.kind'])).toEqual([
      undefined,
      undefined,
      'reacquire',
    ]);
  });

  it.each(['releaseRunLease', 'destroyRunLease', 'retryPendingSandboxTeardown'] as const)(
    'of %s begins no re-acquire: a fresh lease does not cure a teardown',
    async (method) => {
      const fail = async (_input: object) => {
        throw new Error('Pending-cleanup lease "lease-1" has no recorded provider for teardown.');
      };
      const failing = instrumentation.instrumentDriver({ [method]: fail } as Record<
        typeof method,
        typeof fail
      >);
      await fails(failing[method](on(incompleteLease)));
      await driver.acquireRunLease({ ...acquireInput, heartbeatRunId: 'run-2' });
      expect(spanOf('acquire_run_lease')?.links).toEqual([]);
      instrumentation.disable();
      expect(await reacquires()).toEqual([]);
    },
  );

  it('that nobody acts on is not_attempted after the window, however idle the host is', async () => {
    await fails(driver.openDuplexChannel(on(incompleteLease)));
    now += 300_001;
    expect(await reacquires()).toEqual([['not_attempted', 1]]);
    expect((await telemetry.metric('paperclip.lease.reacquire.duration'))[0]?.value).toMatchObject({
      sum: 300,
    });
  });

  it.each(['disable', 'shutdown'])('is counted as it stands at %s', async (end) => {
    await fails(driver.openDuplexChannel(on(incompleteLease)));
    await driver.acquireRunLease(acquireInput);
    if (end === 'disable') instrumentation.disable();
    const collected = telemetry.reader.collect.bind(telemetry.reader);
    if (end === 'shutdown') {
      const exported: unknown[] = [];
      vi.spyOn(telemetry.reader, 'collect').mockImplementation(async (options) => {
        const result = await collected(options);
        exported.push(result);
        return result;
      });
      await telemetry.meterProvider.shutdown();
      const text = JSON.stringify(exported);
      expect(text).toContain('"paperclip.lease.reacquire.outcome":"not_retried"');
      expect(text).toContain('"paperclip.duplex.outcome":"failed"');
      return;
    }
    expect(await reacquires()).toEqual([['not_retried', 1]]);
    expect((await telemetry.counter(REQUESTS)).map(({ value }) => value)).toEqual([1]);
  });

  it('beyond maxTrackedRecoveries is counted as it stands, oldest first', async () => {
    instrumentation.setConfig({ maxTrackedRecoveries: 2 });
    for (let n = 0; n < 5; n += 1, now += 1) {
      const lease = { ...incompleteLease, id: `lease-${n}`, issueId: `i-${n}`, heartbeatRunId: `r-${n}` };
      await fails(driver.openDuplexChannel(on(lease)));
    }
    expect(await reacquires()).toEqual([['not_attempted', 4]]);
    expect((await telemetry.counter(REQUESTS)).map(({ value }) => value)).toEqual([4]);
  });
});

it('the windows are options', async () => {
  instrumentation.setConfig({ fallbackWindowMs: 5 });
  await fails(driver.openDuplexChannel(on(nonPluginLease)));
  now += 6;
  await driver.execute(on(nonPluginLease));
  expect((await telemetry.counter(REQUESTS))[0]?.attributes['paperclip.duplex.outcome']).toBe('failed');
});
