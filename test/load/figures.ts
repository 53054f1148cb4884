/** Runs a load, prints its figures, and fails on any difference. */
import { expect } from 'vitest';
import { runs } from '../support/runs.js';
import { Load, type LoadOptions } from './load.js';

/** `SEED=1` for another load, `RUNS=1000000` for a long one. */
const SEED = Number(process.env.SEED ?? 20_261_130);
const CALLS = runs(100_000, 10_000);

/** The SDK puts what goes beyond it into one point of a metric (`aggregationCardinalityLimit`). */
const CARDINALITY_LIMIT = 2000;
/** Of very many differences, the first ones say enough. */
const MOST_SHOWN = 20;

export interface Run extends Pick<LoadOptions, 'sampler'> {
  readonly name: string;
  /** Which part of all calls. */
  readonly share?: number;
  readonly begin?: (load: Load) => void;
  /** What happens in the middle, and after which part of the calls. */
  readonly incidents?: readonly (readonly [part: number, happen: (load: Load) => void])[];
}

/** Holds the telemetry of a load against its ledger. */
export async function expectNoDifference(run: Run): Promise<Load> {
  const { name, share = 1, incidents = [], begin = (load) => load.giveNewProviders(), ...options } = run;
  const calls = CALLS * share;
  const load = new Load({
    ...options,
    seed: SEED,
    calls,
    incidents: incidents.map(([part, happen]) => [part * calls, happen]),
  });
  begin(load);
  const differences = await load.run();
  const { ledger } = load.world;
  console.log(
    `${name} (seed ${SEED}): ${load.world.calls} calls, at most ${load.mostAtOnce} seen at once; recorded ` +
      `${ledger.operations} operations, ${load.spans.count} spans, ${ledger.points.size} points, ` +
      `${ledger.measurements} measurements; ${differences.length} differences`,
  );
  expect(differences.slice(0, MOST_SHOWN), `${differences.length} differences with seed ${SEED}`).toEqual([]);
  expect(load.world.calls).toBeGreaterThanOrEqual(calls);
  for (const points of countByMetric([...ledger.points.keys()]))
    expect(points).toBeLessThan(CARDINALITY_LIMIT);
  return load;
}

function countByMetric(keys: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const [metric = ''] = key.split(' ');
    counts.set(metric, (counts.get(metric) ?? 0) + 1);
  }
  return [...counts.values()];
}
