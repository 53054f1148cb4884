/** A duplex channel that an instrumented driver opened is, to its caller, the channel that the driver opened. */
import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { on } from '../support/host.js';
import { runs } from '../support/runs.js';
import { noticesNothing } from './compare.js';
import { channelScenarios } from './generators.js';
import { watchRejections } from './run.js';
import { type Instrument, nothing } from './ways-in.js';

const numRuns = runs(1_500);

let stopWatching = () => {};
beforeAll(() => {
  stopWatching = watchRejections();
});
afterAll(() => stopWatching());

function openedBy(instrumentations: readonly PaperclipInstrumentation[]): Instrument {
  const open = <T extends object>(channel: T): T => {
    const driver = { openDuplexChannel: (_input: object) => channel };
    for (const instrumentation of instrumentations) instrumentation.instrumentDriver(driver);
    return driver.openDuplexChannel(on());
  };
  return { ...nothing, driver: open };
}

it.each(['calls', 'looks'] as const)(
  '%s show nothing of a channel that is observed',
  (steps) =>
    fc.assert(
      fc.asyncProperty(channelScenarios[steps]('instrumentDriver'), (scenario) =>
        noticesNothing(scenario, openedBy),
      ),
      { numRuns },
    ),
  0,
);
