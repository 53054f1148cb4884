import { expect } from 'vitest';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { modes } from './modes.js';
import { play, playBare } from './run.js';
import type { Scenario } from './spec.js';
import { type Instrument, instrumentBy } from './ways-in.js';

/** Lets two equal hosts do the same, one instrumented, and fails where they notice different things. */
export async function noticesNothing(
  scenario: Scenario,
  instrument = (instrumentations: readonly PaperclipInstrumentation[]): Instrument =>
    instrumentBy(scenario.wayIn, instrumentations),
): Promise<void> {
  const bare = await playBare(scenario);
  const mode = modes[scenario.mode];
  mode.start();
  try {
    const instrumented = await play(scenario, instrument(mode.instrumentations), mode.toggle);
    // `expect` alone would take most of the time.
    if (JSON.stringify(instrumented) !== JSON.stringify(bare)) expect(instrumented).toEqual(bare);
  } finally {
    mode.end();
  }
}
