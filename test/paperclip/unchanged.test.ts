import { beforeAll, describe, expect, test } from 'vitest';
import { NODES, type Played, play } from './harness.js';

const SCENARIOS = ['refusals', 'operations', 'siblings', 'drivers', 'guards', 'secrets'];

describe.each(NODES)('without the preload, on $name', ({ path }) => {
  let without: Played;
  let withPreload: Played;
  beforeAll(async () => {
    [without, withPreload] = await Promise.all([
      play({ node: path, scenarios: SCENARIOS, preload: false }),
      play({ node: path, scenarios: SCENARIOS }),
    ]);
  });

  test('callers see exactly what they see with it', () => {
    const seen = ({ steps }: Played) => Object.entries(steps).map(([step, { seen }]) => ({ step, seen }));
    expect(seen(without)).toEqual(seen(withPreload));
    expect(Object.keys(without.steps).length).toBeGreaterThan(700);
  });

  test('nothing is exported and no hook is registered', () => {
    expect(without.registeredThrough).toEqual([]);
    const exported = Object.values(without.steps).filter(
      ({ exported: { spans, metrics, logs }, otherMetrics }) =>
        spans.length + metrics.length + otherMetrics.length + logs.length > 0,
    );
    expect(exported).toEqual([]);
  });
});
