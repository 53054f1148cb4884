/** The shares that operators look at first: what alerts compare with their limits, by window. */
import { TIMING } from '../limits.js';
import * as measures from '../rules/measures.js';
import { COUNTS, countName } from '../rules/panels.js';
import { attempts, failures, type Share } from '../rules/shares.js';
import type { RecordedShare } from './queries.js';

function recorded(share: Share): RecordedShare {
  return {
    part: (seconds) => failures(share, seconds, TIMING).record,
    whole: (seconds) => attempts(share, seconds, TIMING).record,
    labels: share.by,
  };
}

export const FALLBACKS = recorded(measures.FALLBACKS);
export const FAILED_REACQUIRES = recorded(measures.REACQUIRES);
export const FAILED_OPERATIONS: RecordedShare = {
  part: (seconds) => countName(COUNTS.failed, seconds),
  whole: (seconds) => countName(COUNTS.operations, seconds),
  labels: COUNTS.operations.by,
};
