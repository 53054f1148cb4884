/** The tests of all alerts, one file for each. */
import { TIMING } from '../limits.js';
import { METADATA_TEST, SPIKE_TEST } from './operations.js';
import { FALLBACK_TEST, LOSSES_TEST, REACQUIRE_PERSISTS_TEST, REACQUIRE_TEST } from './recovery.js';
import { testFile } from './scenario.js';
import { SILENCE_TEST } from './silence.js';

const RULES = '../generated/prometheus/paperclip.rules.yml';

const TESTS = [
  SPIKE_TEST,
  FALLBACK_TEST,
  REACQUIRE_TEST,
  REACQUIRE_PERSISTS_TEST,
  METADATA_TEST,
  LOSSES_TEST,
  SILENCE_TEST,
];

/** Contents by path. */
export function ruleTests(): Record<string, string> {
  return Object.fromEntries(
    TESTS.map((test) => [`tests/${test.alert(TIMING).name}.test.yml`, testFile(test, RULES)]),
  );
}
