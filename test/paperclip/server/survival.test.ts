/** What goes wrong around the real server, and that it serves on. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endsOfMetrics, endsOfSpans, latest, ofScope } from './expected.js';
import { freePort } from './home.mjs';
import type { AgentTest, ProbeResult } from './paperclip.js';
import type { Exit } from './server.mjs';
import { Site, START } from './site.js';

describe('a plug-in worker that ends', () => {
  let site: Site;
  let agent: AgentTest;
  let health: (string | undefined)[];
  let exit: Exit;

  beforeAll(async () => {
    site = await Site.create();
    const server = await site.boot({ preloads: [START], env: site.receiver.envBySignal });
    const good = await site.createEnvironment('Good');
    const dying = await site.createEnvironment('Dying', { environmentExecute: 'die' });

    await site.probe(good);
    process.kill(site.calls()[0]?.pid ?? Number.NaN, 'SIGKILL');
    health = [await server.health()];
    await untilItWorks(good);
    agent = await site.testAgent(dying);
    health.push(await server.health());
    await untilItWorks(good);
    exit = await server.stop();
  });

  afterAll(() => site.close());

  it('leaves the server serving, and the provider working once its worker is back', () => {
    expect(health).toEqual(['ok', 'ok']);
    expect(new Set(site.calls().map(({ pid }) => pid)).size).toBe(3);
    expect(exit).toMatchObject({ code: 0, signal: null });
  });

  it('fails the operation in whose middle it ended', () => {
    expect(agent.status).toBe('fail');
    expect(endsOfSpans(ofScope(site.receiver.spans))).toMatchObject({ 'execute: WORKER_UNAVAILABLE': 1 });
  });

  /** Probes until the worker has been started again. */
  async function untilItWorks(environment: string): Promise<void> {
    while (!(await site.probe(environment)).ok) await delay(200);
  }
});

describe('a plug-in worker that never answers', () => {
  let site: Site;
  let stalled: ProbeResult;
  let others: { probes: boolean[]; health: string | undefined };
  let exit: Exit;

  beforeAll(async () => {
    site = await Site.create();
    const server = await site.boot({ preloads: [START], env: site.receiver.envBySignal });
    const stalling = site.probe(
      await site.createEnvironment('Stalling', { environmentAcquireLease: 'stall' }),
    );
    const good = await site.createEnvironment('Good');
    const probes = [await site.probe(good), await site.probe(good)];
    others = { probes: probes.map(({ ok }) => ok), health: await server.health() };
    stalled = await stalling;
    exit = await server.stop();
  });

  afterAll(() => site.close());

  it('keeps nobody else from working', () => {
    expect(others).toEqual({ probes: [true, true], health: 'ok' });
    expect(exit).toMatchObject({ code: 0, signal: null });
  });

  it("is a failure once Paperclip's own patience is over, with the error that the caller gets", () => {
    expect(stalled).toMatchObject({
      ok: false,
      details: { error: expect.stringContaining('timed out after') },
    });
    const ends = {
      'acquire_run_lease: success': 2,
      'acquire_run_lease: TIMEOUT': 1,
      'release_run_lease: success': 2,
    };
    expect(endsOfSpans(ofScope(site.receiver.spans))).toEqual(ends);
    expect(endsOfMetrics(site.receiver.metrics)).toEqual(ends);
    const active = latest(site.receiver.metrics, 'paperclip.environment.operation.active');
    expect(active.map(({ value }) => value)).toEqual([0, 0]);
  });
});

describe('a collector that is down from the start', () => {
  let site: Site;

  beforeAll(async () => {
    site = await Site.create();
  });

  afterAll(() => site.close());

  it('is nothing to the server, which ends cleanly and in time', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url };
    const server = await site.boot({ preloads: [START], env: { ...site.receiver.envBySignal, ...env } });
    const environment = await site.createEnvironment('Good');
    expect((await site.probe(environment)).ok).toBe(true);
    expect(await server.health()).toBe('ok');
    const exit = await server.stop();
    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(exit.ms).toBeLessThan(10_000);
  });
});
