import { beforeEach, describe, expect, it } from 'vitest';
import type { HostFunction } from '../../src/base/values.js';
import { observeDuplexFactory } from '../../src/duplex/observability.js';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { makeDriver, nonPluginLease, on } from '../support/host.js';
import { TestTelemetry } from '../support/telemetry.js';

const REQUESTS = 'paperclip.duplex.requests';

/** Like `createDuplexObservability`: tells a recorder, and counts an attempt once itself. */
function createFacade({ recorder = [] }: { providerKey?: unknown; recorder?: unknown[] } = {}) {
  return {
    startChannelOpen() {
      let settled = false;
      const settle = (...record: unknown[]) => {
        if (!settled) recorder.push(record);
        settled = true;
      };
      return {
        ready: () => settle('ready'),
        fallback: (reason: string) => settle('fallback', reason),
      };
    },
    recordFallback: (reason: string) => void recorder.push(['fallback', reason]),
    recordRequest: (request: object) => void recorder.push(['request', request]),
    recordLoss: (...loss: string[]) => void recorder.push(['loss', ...loss]),
    recordSessionLeak: () => void recorder.push(['leak']),
  };
}

let telemetry: TestTelemetry;
let instrumentation: PaperclipInstrumentation;
let create: typeof createFacade;
beforeEach(() => {
  telemetry = new TestTelemetry();
  instrumentation = telemetry.instrument();
  create = observeDuplexFactory(createFacade as HostFunction) as typeof createFacade;
  return () => instrumentation.disable();
});

const requests = async () =>
  (await telemetry.counter(REQUESTS)).map(({ attributes, value }) => [
    attributes['paperclip.duplex.outcome'],
    attributes['paperclip.duplex.fallback.reason'],
    value,
  ]);

describe("Paperclip's account of a duplex request", () => {
  it('is one request for each attempt, whatever is called on it afterwards', async () => {
    const facade = create({ providerKey: 'daytona' });
    const opened = facade.startChannelOpen();
    opened.ready();
    opened.ready();
    opened.fallback('ready_timeout');
    const refused = facade.startChannelOpen();
    refused.fallback('route_busy');
    refused.ready();
    refused.fallback('ready_timeout');
    await instrumentation.instrumentDriver(makeDriver()).execute(on());
    expect(await requests()).toEqual([
      ['opened', undefined, 1],
      ['fallback', 'route_busy', 1],
    ]);
    expect((await telemetry.counter(REQUESTS))[0]?.attributes).toEqual({
      'paperclip.environment.provider': 'daytona',
      'paperclip.duplex.outcome': 'opened',
    });
  });

  it.each([
    'gate_off',
    'capability_absent',
    'route_busy',
    'entrypoint_sync_failed',
    'broker_construction_failed',
    'channel_open_failed',
    'ready_invalid',
    'ready_nonce_mismatch',
    'ready_timeout',
    'contaminated',
    'preface_missing',
  ])('passes the reason %s through', async (reason) => {
    create().recordFallback(reason);
    expect(await requests()).toEqual([['fallback', reason, 1]]);
  });

  it('stands _OTHER in for a reason, class, outcome or provider outside the closed sets', async () => {
    const facade = create({ providerKey: 'acme' });
    facade.recordFallback('host 10.0.0.1 said no');
    facade.recordLoss('mid_dispatch', 'aliens');
    facade.recordRequest({ latencyMs: 5, outcome: 'maybe' });
    expect(await telemetry.counter(REQUESTS)).toMatchObject([
      {
        attributes: {
          'paperclip.environment.provider': '_OTHER',
          'paperclip.duplex.fallback.reason': '_OTHER',
        },
      },
    ]);
    expect((await telemetry.counter('paperclip.duplex.losses'))[0]?.attributes).toEqual({
      'paperclip.environment.provider': '_OTHER',
      'paperclip.duplex.loss.class': '_OTHER',
      'paperclip.duplex.loss.reason': '_OTHER',
    });
    expect((await telemetry.histogram('paperclip.duplex.forward.duration'))[0]?.attributes).toEqual({
      'paperclip.environment.provider': '_OTHER',
      'paperclip.duplex.forward.outcome': '_OTHER',
    });
  });

  it('is losses, leaks and forwarded requests, in seconds', async () => {
    const facade = create({ providerKey: 'e2b' });
    for (const reason of ['stdin_eof', 'other']) facade.recordLoss('pre_dispatch', reason);
    facade.recordSessionLeak();
    facade.recordRequest({ latencyMs: 250, outcome: 'ok' });
    facade.recordRequest({ latencyMs: Number.NaN, outcome: 'ok' });
    expect(
      (await telemetry.counter('paperclip.duplex.losses')).map(({ attributes }) => attributes),
    ).toMatchObject([
      { 'paperclip.duplex.loss.reason': 'stdin_eof' },
      { 'paperclip.duplex.loss.reason': 'other' },
    ]);
    expect(await telemetry.counter('paperclip.duplex.session_leaks')).toEqual([
      { attributes: { 'paperclip.environment.provider': 'e2b' }, value: 1 },
    ]);
    expect((await telemetry.metric('paperclip.duplex.forward.duration'))[0]).toMatchObject({
      attributes: { 'paperclip.environment.provider': 'e2b', 'paperclip.duplex.forward.outcome': 'ok' },
      value: { count: 1, sum: 0.25 },
    });
  });

  it('reaches its own recorder as before, and keeps its functions', () => {
    const script = (make: typeof createFacade) => {
      const recorder: unknown[] = [];
      const facade = make({ recorder });
      const attempted = facade.startChannelOpen();
      const returned = [attempted.fallback('x'), attempted.ready(), facade.recordSessionLeak()];
      facade.recordLoss('a', 'b');
      facade.recordRequest({ latencyMs: 1 });
      return { recorder, returned, keys: Reflect.ownKeys(facade), name: make.name, length: make.length };
    };
    expect(script(create)).toEqual(script(createFacade));
  });

  it('is counted once when two instances attach, and not at all when both are disabled', async () => {
    const second = telemetry.instrument();
    const twice = observeDuplexFactory(create as HostFunction) as typeof createFacade;
    expect(twice).toBe(create);
    twice().recordFallback('gate_off');
    instrumentation.disable();
    twice().recordFallback('gate_off');
    expect(await requests()).toEqual([['fallback', 'gate_off', 2]]);
    second.disable();
    twice().recordFallback('gate_off');
    expect(await requests()).toEqual([['fallback', 'gate_off', 2]]);
  });
});

describe('a fallback that Paperclip reports of an attempt', () => {
  /** The run is stopped, or goes on over `execute`, which is not awaited. */
  async function run(goesOn: boolean): Promise<void> {
    const driver = instrumentation.instrumentDriver(makeDriver());
    await Promise.resolve();
    const attempted = create({ providerKey: 'daytona' }).startChannelOpen();
    await driver.openDuplexChannel(on(nonPluginLease)).catch(() => {});
    attempted.fallback('channel_open_failed');
    if (goesOn) await driver.execute(on(nonPluginLease));
  }
  const points = async () =>
    (await telemetry.counter(REQUESTS)).map(({ attributes, value }) => ({ ...attributes, value }));
  const cancelled = {
    'paperclip.environment.provider': 'daytona',
    'paperclip.duplex.outcome': 'cancelled',
    value: 1,
  };

  it('is none as long as no work follows', async () => {
    await run(false);
    expect(await points()).toEqual([]);
  });

  it('is cancelled where none follows in the window, for the run was stopped', async () => {
    instrumentation.setConfig({ fallbackWindowMs: 1 });
    await run(false);
    const until = performance.now() + 2;
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
    expect(await points()).toEqual([cancelled]);
  });

  it('is cancelled where the instrumentation is disabled before work follows', async () => {
    await run(false);
    instrumentation.disable();
    expect(await points()).toEqual([cancelled]);
  });

  it('is not helped by the work of others on the same lease, as when a stopped run is cleaned up', async () => {
    await run(false);
    await instrumentation.instrumentDriver(makeDriver()).execute(on(nonPluginLease));
    instrumentation.disable();
    expect(await points()).toEqual([cancelled]);
  });

  it('is one fallback once work follows', async () => {
    await run(true);
    instrumentation.disable();
    expect(await points()).toMatchObject([{ 'paperclip.duplex.outcome': 'fallback', value: 1 }]);
  });
});

describe('an open inside an attempt that Paperclip accounts for', () => {
  /** As Paperclip's bridge does: an attempt, the open, and files over `execute` where it fails. */
  async function run(lease: typeof nonPluginLease): Promise<void> {
    const driver = instrumentation.instrumentDriver(makeDriver());
    const facade = create({ providerKey: 'daytona' });
    await driver.execute(on(lease));
    const attempted = facade.startChannelOpen();
    try {
      await driver.openDuplexChannel(on(lease));
      attempted.ready();
    } catch {
      attempted.fallback('channel_open_failed');
    }
    await driver.execute(on(lease));
  }

  it('is counted by that account alone, and its fallback is still linked', async () => {
    await run(nonPluginLease);
    expect(
      (await telemetry.counter(REQUESTS)).map(({ attributes, value }) => ({ ...attributes, value })),
    ).toEqual([
      {
        'paperclip.environment.provider': 'daytona',
        'paperclip.duplex.outcome': 'fallback',
        'paperclip.duplex.fallback.reason': 'channel_open_failed',
        'error.type': 'unsupported-driver-operation',
        value: 1,
      },
    ]);
    const [before, open, after] = telemetry.spans();
    expect(before?.links).toEqual([]);
    expect(after?.attributes['paperclip.recovery.kind']).toBe('fallback');
    expect(after?.links[0]?.context.spanId).toBe(open?.spanContext().spanId);
  });

  it('is told apart from what happens at the same time elsewhere, and later in the same run', async () => {
    const driver = instrumentation.instrumentDriver(makeDriver());
    await Promise.all([run(nonPluginLease), driver.openDuplexChannel(on())]);
    await driver.openDuplexChannel(on());
    expect(new Set(await requests())).toEqual(
      new Set([
        ['opened', undefined, 2],
        ['fallback', 'channel_open_failed', 1],
      ]),
    );
  });
});
