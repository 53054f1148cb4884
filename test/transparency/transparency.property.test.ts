/**
 * The host never notices: two equal hosts do the same, one instrumented, and notice the same.
 *
 * What is the same: values and errors by identity, `this`, arguments, the `AsyncLocalStorage` of the host, keys,
 * descriptors, prototypes and states of objects, what functions look like, what a host's getter, proxy or `then`
 * is asked and how often, unhandled rejections and those handled after all, what happens at once and in which
 * order, and, in each turn of the event loop, what each caller notices and in which order.
 *
 * What is not:
 * - With `propagateContext`, a method that starts a process gets a copy of its input, in which the variables of the context differ
 *   and nothing else does.
 * - A native promise may be another one that settles alike, some microtasks later. So callers whose operations
 *   settle in the same turn may go on in another order than they would have.
 * - A method that is wrapped is another function; its source text is not the original's. An inherited one is covered by a
 *   property of the object itself that is not enumerable.
 * - `driver`, and the named fields of environments, leases and results, are read, also where they are getters.
 * - `getDriver` is called when a service is instrumented.
 * - An unhandled rejection is added where somebody handles a promise behind the back of the method that returns
 *   it, and the caller of the method does not.
 * - Where an object cannot be changed, its stand-in is another object: the class sees its private fields only
 *   through methods that are read from the stand-in, which are functions of their own.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runs } from '../support/runs.js';
import { noticesNothing } from './compare.js';
import { scenarios } from './generators.js';
import { recorded } from './modes.js';
import { watchRejections } from './run.js';
import type { Scenario } from './spec.js';
import { copies } from './world.js';

const numRuns = runs(3_000);

let stopWatching = () => {};
beforeAll(() => {
  stopWatching = watchRejections();
});
afterAll(() => stopWatching());

const run = (scenario: fc.Arbitrary<Scenario>) =>
  fc.assert(
    fc.asyncProperty(scenario, (made) => noticesNothing(made)),
    { numRuns },
  );

for (const wayIn of ['instrumentDriver', 'instrumentRuntime', 'module'] as const) {
  it(`no call is noticed that goes through what ${wayIn} instrumented`, () => run(scenarios.calls(wayIn)), 0);
  it(`no look is too close at what ${wayIn} instrumented`, () => run(scenarios.looks(wayIn)), 0);
}

it('those calls were recorded', () => {
  expect(recorded.spans).toBeGreaterThan(numRuns * 2);
  expect(copies.seen).toBeGreaterThan(numRuns / 100);
});
