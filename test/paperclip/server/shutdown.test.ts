/** How the real server ends at a signal, with the SDK of `./start` and a collector in every condition. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endsOfMetrics, endsOfSpans, ofScope, operationsOfCalls, operationsOfSpans } from './expected.js';
import type { Manner } from './receiver.js';
import type { Exit, Server } from './server.mjs';
import { Site, START } from './site.js';

/** How long after a signal `./start` waits at the most. */
const LIMIT_MS = 8_000;
/** For what a busy machine does to it. */
const SLACK_MS = 2_000;

/** Nothing is exported before the end. */
const LATE = { OTEL_BSP_SCHEDULE_DELAY: '600000', OTEL_METRIC_EXPORT_INTERVAL: '600000' };

describe('a signal in the middle of traffic', () => {
  let site: Site;
  let environments: { quick: string; slow: string };
  /** How the server ends without instrumentation. */
  let plain: Exit;

  beforeAll(async () => {
    site = await Site.create();
    const server = await site.boot();
    environments = {
      quick: await site.createEnvironment('Quick'),
      slow: await site.createEnvironment('Slow', { environmentAcquireLease: 'tarry' }),
    };
    plain = await stopInTraffic(server, 'SIGTERM');
  });

  afterAll(() => site.close());

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s loses no span and no metric where the collector answers',
    async (signal) => {
      const { receiver } = site;
      const before = {
        calls: site.calls().length,
        spans: receiver.spans.length,
        metrics: receiver.metrics.length,
      };
      const server = await site.boot({ preloads: [START], env: { ...receiver.envBySignal, ...LATE } });
      const exit = await stopInTraffic(server, signal);

      const spans = ofScope(receiver.spans.slice(before.spans));
      expect(operationsOfSpans(spans)).toEqual(operationsOfCalls(site.calls().slice(before.calls)));
      const ends = { 'acquire_run_lease: success': 10, 'release_run_lease: success': 10 };
      expect(endsOfSpans(spans)).toEqual(ends);
      expect(endsOfMetrics(receiver.metrics.slice(before.metrics))).toEqual(ends);
      expect(exit).toMatchObject({ code: plain.code, signal: plain.signal });
    },
  );

  it.each<[string, Manner]>([
    ['hangs', 'hang'],
    ['refuses each connection', 'refuse'],
  ])('ends as without instrumentation, within the bound, where the collector %s', async (_name, manner) => {
    const { receiver } = site;
    receiver.manner = manner;
    const before = receiver.requests;
    const server = await site.boot({ preloads: [START], env: { ...receiver.envBySignal, ...LATE } });
    const exit = await stopInTraffic(server, 'SIGTERM');

    expect(receiver.requests).toBeGreaterThan(before);
    expect(exit).toMatchObject({ code: plain.code, signal: plain.signal });
    expect(exit.ms).toBeLessThan(Math.max(plain.ms, LIMIT_MS) + SLACK_MS);
  });

  /** Sends the signal after some probes, and while others wait for their leases; the server serves them still. */
  async function stopInTraffic(server: Server, signal: 'SIGTERM' | 'SIGINT'): Promise<Exit> {
    for (let times = 0; times < 5; times += 1) await site.probe(environments.quick);
    const before = site.calls().length;
    const late = Promise.all(Array.from({ length: 5 }, () => site.probe(environments.slow)));
    while (site.calls().length < before + 5) await delay(10);
    const exit = await server.stop(signal);
    expect((await late).map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    return exit;
  }
});
