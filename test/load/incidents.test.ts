import { metrics, trace } from '@opentelemetry/api';
import { TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { afterEach, expect, it } from 'vitest';
import { expectNoDifference } from './figures.js';
import type { Load } from './load.js';

/** A fifth of the load is enough for each of these. */
const share = 0.2;
/** Disabled five times, each for a while in which hundreds of calls start and end. */
const SWITCHED = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((part) => [
  [part, (load: Load) => load.disable()] as const,
  [part + 0.025, (load: Load) => load.enable()] as const,
]);
const replace = (load: Load) => load.giveNewProviders();

/** Registers providers as an SDK does, in place of those that are registered. */
function registerNewProviders(load: Load): void {
  const { meterProvider, tracerProvider } = load.newProviders();
  unregister();
  metrics.setGlobalMeterProvider(meterProvider);
  trace.setGlobalTracerProvider(tracerProvider);
}
function unregister(): void {
  metrics.disable();
  trace.disable();
}
afterEach(unregister);

it('disabled and enabled in the middle: what started while it was enabled is counted exactly, and nothing else', async () => {
  const { world } = await expectNoDifference({ name: 'disabled in the middle', share, incidents: SWITCHED });
  expect(world.ledger.operations).toBeLessThan(world.calls);
}, 0);

it('providers replaced in the middle: each gets its own, and the sum over all is exact', async () => {
  const incidents = [0.3, 0.7].map((part) => [part, replace] as const);
  const { shares } = await expectNoDifference({ name: 'providers replaced', share, incidents });
  expect(shares).toHaveLength(3);
}, 0);

it('global providers replaced in the middle: each gets its own, and the sum over all is exact', async () => {
  const incidents = [[0.5, registerNewProviders] as const];
  const begin = registerNewProviders;
  const { shares } = await expectNoDifference({ name: 'global providers replaced', share, begin, incidents });
  expect(shares).toHaveLength(2);
}, 0);

it('a sampler at 10 %: metrics stay exact, and each span that is sampled is one of the ledger', async () => {
  const sampler = new TraceIdRatioBasedSampler(0.1);
  const { spans, world } = await expectNoDifference({ name: 'sampled at 10 %', share, sampler });
  expect(spans.count).toBe(spans.sampled);
  expect(spans.count / world.ledger.operations).toBeGreaterThan(0.05);
  expect(spans.count / world.ledger.operations).toBeLessThan(0.15);
}, 0);

it('all of these at once change nothing in that', async () => {
  const sampler = new TraceIdRatioBasedSampler(0.1);
  const incidents = [...SWITCHED, [0.4, replace] as const, [0.71, replace] as const].sort(
    ([a], [b]) => a - b,
  );
  await expectNoDifference({ name: 'all at once', share, sampler, incidents });
}, 0);
