/** Whether everything that happens on the real sandbox driver is counted, once and as what it was. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { NODES, run } from './harness.js';

/** `SEED=1` for another load. */
const SEED = process.env.SEED ?? '20261130';
const CALLS = 5000;
/** Of very many differences, the first ones say enough. */
const MOST_SHOWN = 20;

interface Loaded {
  calls: number;
  mostUnderWay: number;
  operations: number;
  /** How many of them each of the meter providers got, one after the other. */
  ofProviders: number[];
  spans: number;
  points: number;
  measurements: number;
  differences: string[];
}

describe('5,000 concurrent operations', () => {
  let loaded: Loaded;
  beforeAll(async () => {
    loaded = await loadWith('preloaded');
  });

  test('are counted exactly, cumulative as well as delta, and each has its span', () => {
    expect(firstDifferences(loaded)).toEqual([]);
    expect(loaded.spans).toBe(loaded.operations);
  });

  test('are all of them counted, and those that Paperclip makes inside of others', () => {
    expect(loaded.calls).toBeGreaterThanOrEqual(CALLS);
    expect(loaded.operations).toBeGreaterThan(loaded.calls);
  });
});

describe('disabled for a while, with providers replaced in the middle and a sampler at 10 %', () => {
  let loaded: Loaded;
  beforeAll(async () => {
    loaded = await loadWith('all-at-once');
  });

  test('what is recorded is counted exactly, sampled or not', () => {
    expect(firstDifferences(loaded)).toEqual([]);
    expect(loaded.ofProviders).toHaveLength(4);
    expect(loaded.spans / loaded.operations).toBeGreaterThan(0.07);
    expect(loaded.spans / loaded.operations).toBeLessThan(0.13);
  });

  test('what starts while it is disabled is not recorded', () => {
    expect(loaded.calls).toBeGreaterThanOrEqual(CALLS);
    expect(loaded.operations).toBeLessThan(loaded.calls);
  });
});

function firstDifferences({ differences }: Loaded): string[] {
  return differences.slice(0, MOST_SHOWN);
}

async function loadWith(mode: 'preloaded' | 'all-at-once'): Promise<Loaded> {
  const home = await mkdtemp(join(tmpdir(), 'paperclip-'));
  const preload =
    mode === 'preloaded' ? ['--import', 'opentelemetry-instrumentation-paperclip/register'] : [];
  try {
    const { stdout } = await run(NODES[0].path, [...preload, 'host/load.mjs', String(CALLS), SEED, mode], {
      PATH: process.env.PATH ?? '',
      PAPERCLIP_HOME: home,
      PAPERCLIP_LOG_LEVEL: 'silent',
      // Longer than this takes: what is pending stays so until it is settled.
      OTEL_INSTRUMENTATION_PAPERCLIP_FALLBACK_WINDOW_MS: '3600000',
      OTEL_INSTRUMENTATION_PAPERCLIP_REACQUIRE_WINDOW_MS: '3600000',
    });
    const loaded = JSON.parse(stdout) as Loaded;
    const { differences, ...figures } = loaded;
    console.log(`${mode} (seed ${SEED}): ${JSON.stringify(figures)}, ${differences.length} differences`);
    return loaded;
  } finally {
    await rm(home, { recursive: true });
  }
}
