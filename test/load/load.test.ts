import { expect, it } from 'vitest';
import { METRICS } from '../support/cardinality.js';
import { expectNoDifference } from './figures.js';

it('concurrent operations are counted exactly, cumulative as well as delta, and each has its span', async () => {
  const { spans, world } = await expectNoDifference({ name: 'all enabled' });
  expect(spans.count).toBe(world.calls);
  // Nothing was exact because it did not happen.
  const used = new Set([...world.ledger.points.keys()].map((key) => key.split(' ')[0]));
  expect([...used].sort()).toEqual(METRICS.map(({ name }) => name).sort());
}, 0);
