import { expect, it } from 'vitest';
import { METRIC_PAPERCLIP_LEASE_HELD as HELD } from '../../src/semconv.js';
import { METRICS } from '../support/cardinality.js';
import { expectNoDifference } from './figures.js';

it('concurrent operations are counted exactly, cumulative as well as delta, and each has its span', async () => {
  const { spans, world } = await expectNoDifference({ name: 'all enabled' });
  expect(spans.count).toBe(world.calls);
  // Nothing was exact because it did not happen. Ages, and what a database says, are not counted.
  const counted = METRICS.filter(({ instrument, name }) => instrument !== 'gauge' && name !== HELD.name);
  const used = new Set([...world.ledger.points.keys()].map((key) => key.split(' ')[0]));
  expect([...used].sort()).toEqual(counted.map(({ name }) => name).sort());
}, 0);
