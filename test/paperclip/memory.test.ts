/** What a server's process holds on to after very many operations. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Attributes, NODES, run } from './harness.js';
import { freePort } from './server/home.mjs';

/** The heap is measured after the first of these numbers of operations, when all is warm and full, and the second. */
const OPERATIONS = [20_000, 100_000] as const;

/** Less than the smallest object that an operation could leave behind, with its place in a set or map. */
const BYTES_OF_AN_OPERATION = 50;

/** The default of `maxTrackedRecoveries`. The first number of operations leaves as many. */
const TRACKED = 10_000;

interface Soaked {
  heap: [number, number];
  points: { name: string; attributes: Attributes; value: number }[];
}

describe('100,000 operations, while the collector is down', () => {
  let soaked: Soaked;
  beforeAll(async () => {
    soaked = await soak();
    // Half a minute of computing where nothing else runs.
  }, 300_000);

  test('leave nothing behind in memory', () => {
    const [before, after] = soaked.heap;
    expect(after - before).toBeLessThan((OPERATIONS[1] - OPERATIONS[0]) * BYTES_OF_AN_OPERATION);
  });

  test('are all measured', () => {
    expect(sumOf(soaked, 'paperclip.environment.operation.duration')).toBe(OPERATIONS[1]);
    expect(sumOf(soaked, 'paperclip.environment.operation.active')).toBe(0);
    expect(sumOf(soaked, 'paperclip.duplex.channel.active')).toBe(0);
  });

  test('that failed are followed up to the limit, and beyond it the oldest are counted as not recovered from', () => {
    const requests = (outcome: string) =>
      sumOf(soaked, 'paperclip.duplex.requests', { 'paperclip.duplex.outcome': outcome });
    const reacquires = (outcome: string) =>
      sumOf(soaked, 'paperclip.lease.reacquires', { 'paperclip.lease.reacquire.outcome': outcome });
    expect(requests('opened')).toBe(20_000);
    expect(reacquires('succeeded')).toBe(10_000);
    // 30,000 requests and 20,000 episodes are never recovered from.
    expect(requests('failed') + reacquires('not_attempted')).toBe(50_000 - TRACKED);
  });
});

async function soak(): Promise<Soaked> {
  const home = await mkdtemp(join(tmpdir(), 'paperclip-'));
  const preload = ['--import', 'opentelemetry-instrumentation-paperclip/register'];
  const args = ['--expose-gc', ...preload, 'host/soak.mjs', ...OPERATIONS.map(String)];
  try {
    const { stdout } = await run(NODES[0].path, args, {
      PATH: process.env.PATH ?? '',
      PAPERCLIP_HOME: home,
      PAPERCLIP_LOG_LEVEL: 'silent',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      // Longer than this takes: what is followed goes because of the limit alone.
      OTEL_INSTRUMENTATION_PAPERCLIP_FALLBACK_WINDOW_MS: '3600000',
      OTEL_INSTRUMENTATION_PAPERCLIP_REACQUIRE_WINDOW_MS: '3600000',
    });
    return JSON.parse(stdout) as Soaked;
  } finally {
    await rm(home, { recursive: true });
  }
}

/** The sum of a metric's points that have these attributes. */
function sumOf({ points }: Soaked, metric: string, wanted: Attributes = {}): number {
  return points
    .filter(
      ({ name, attributes }) =>
        name === metric && Object.entries(wanted).every(([key, value]) => attributes[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
}
