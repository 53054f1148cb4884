/** The tests of all alerts, one file for each. */
import { TIMING } from '../limits.js';
import {
  ACQUIRES_TEST,
  EXECUTE_HANGS_TEST,
  OPERATION_HANGS_TEST,
  PLUGIN_CALLS_TEST,
  STRANDED_TEST,
  TEARDOWNS_TEST,
  WAITING_TEST,
} from './leases.js';
import { METADATA_TEST, SPIKE_TEST } from './operations.js';
import { FALLBACK_TEST, LOSSES_TEST, REACQUIRE_TEST, REACQUIRES_FAIL_TEST } from './recovery.js';
import { testFile } from './scenario.js';
import { SILENCE_TEST } from './silence.js';

const RULES = '../generated/prometheus/paperclip.rules.yml';

const TESTS = [
  SPIKE_TEST,
  FALLBACK_TEST,
  REACQUIRES_FAIL_TEST,
  REACQUIRE_TEST,
  METADATA_TEST,
  LOSSES_TEST,
  ACQUIRES_TEST,
  TEARDOWNS_TEST,
  PLUGIN_CALLS_TEST,
  WAITING_TEST,
  STRANDED_TEST,
  OPERATION_HANGS_TEST,
  EXECUTE_HANGS_TEST,
  SILENCE_TEST,
];

/** Contents by path. */
export function ruleTests(): Record<string, string> {
  return Object.fromEntries(
    TESTS.map((test) => [`tests/${test.alert(TIMING).name}.test.yml`, testFile(test, RULES)]),
  );
}
