/**
 * A full disk under everything that the server logs: its own log, which is what it prints, and those of agents' runs.
 * What Paperclip makes of it is the same with the instrumentation and without.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Metric, Span } from '../../support/otlp.js';
import { SmallDisk, whyNoSmallDisk } from '../../support/small-disk.js';
import { endsOfMetrics, endsOfSpans, ofScope, operationsOfCalls, operationsOfSpans } from './expected.js';
import { unprivileged } from './home.mjs';
import type { Server } from './server.mjs';
import { type Call, Site, START } from './site.js';

const reason = whyNoSmallDisk();
// Vitest tells the reason of a skipped test to its verbose reporter only.
if (reason !== undefined) console.warn(`Skipped: ${reason}`);

/** What happened once the disk was full. */
interface Outcome {
  seen: object;
  calls: Call[];
  spans: Span[];
  metrics: Metric[];
}

describe.each([
  {
    title: 'is served on, where Paperclip prints nothing',
    level: 'silent',
    use: serveOn,
    expected: {
      probes: [true, true, true],
      run: ['failed', 'ENOSPC: no space left on device, write'],
      agent: 'pass',
      health: 'ok',
      exit: { code: 0, signal: null },
    },
  },
  {
    title: 'ends the server, where Paperclip prints what it does',
    level: 'debug',
    use: probeToTheEnd,
    expected: { exit: { code: 1, signal: null } },
  },
])('a full disk of the logs $title', ({ level, use, expected }) => {
  let site: Site;
  let environment: string;
  let outcomes: { without: Outcome; with: Outcome };

  beforeAll(async () => {
    if (reason !== undefined) return;
    site = await Site.create();
    outcomes = { without: await outcomeOf([]), with: await outcomeOf([START]) };
  });

  beforeEach(({ skip }) => skip(reason !== undefined, reason));

  afterAll(() => site?.close());

  it('with the instrumentation as without', () => {
    expect(outcomes.without.seen).toEqual(expected);
    expect(outcomes.with.seen).toEqual(expected);
  });

  it('and each operation is exported all the same', () => {
    const { calls, spans, metrics } = outcomes.with;
    const seen = spans.filter(({ name }) => name !== 'release_run_leases');
    expect(operationsOfSpans(seen)).toEqual(operationsOfCalls(calls));
    expect(endsOfMetrics(metrics)).toEqual(endsOfSpans(spans));
    expect(spans.length).toBeGreaterThan(2);
  });

  /** Boots the server, and fills the disk in the middle of its work. */
  async function outcomeOf(preloads: string[]): Promise<Outcome> {
    const { receiver } = site;
    const before = { spans: receiver.spans.length, metrics: receiver.metrics.length };
    const disk = new SmallDisk(unprivileged());
    try {
      const server = await site.boot({
        preloads,
        log: join(disk.folder, 'server.log'),
        env: { ...receiver.envBySignal, PAPERCLIP_LOG_LEVEL: level, RUN_LOG_BASE_PATH: disk.folder },
      });
      environment ??= await site.createEnvironment('Good');
      const calls = site.calls().length;
      await site.probe(environment);
      disk.fill('server.log');
      const seen = await use(site, server, environment);
      return {
        seen,
        calls: site.calls().slice(calls),
        spans: ofScope(receiver.spans.slice(before.spans)),
        metrics: receiver.metrics.slice(before.metrics),
      };
    } finally {
      await site.end();
      disk.remove();
    }
  }
});

async function serveOn(site: Site, server: Server, environment: string) {
  const probes = [
    await site.probe(environment),
    await site.probe(environment),
    await site.probe(environment),
  ];
  const run = await site.run(environment);
  const agent = await site.testAgent(environment);
  await site.leaseRows();
  const health = await server.health();
  const { code, signal } = await server.stop();
  return {
    probes: probes.map(({ ok }) => ok),
    run: [run.status, run.error],
    agent: agent.status,
    health,
    exit: { code, signal },
  };
}

/** Probes until the server has ended, which it does in its own time after it could not print. */
async function probeToTheEnd(site: Site, server: Server, environment: string) {
  while (!server.hasEnded) {
    await site.probe(environment);
    await Promise.race([server.ended, delay(1000)]);
  }
  const { code, signal } = await server.ended;
  return { exit: { code, signal } };
}
