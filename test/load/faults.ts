/** What calls fail with, and the `error.type` that it is counted under. */
import {
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
  VALUE_OTHER,
} from '../../src/semconv.js';
import { MISSING as MISSING_MESSAGE, UNSUPPORTED as UNSUPPORTED_MESSAGE } from '../support/host.js';

export interface Fault {
  readonly errorType: string;
  readonly make: () => unknown;
}

export const UNSUPPORTED: Fault = {
  errorType: TAG_UNSUPPORTED_DRIVER_OPERATION,
  make: () => new Error(UNSUPPORTED_MESSAGE),
};
export const MISSING: Fault = {
  errorType: TAG_MISSING_METADATA_FIELD,
  make: () => new Error(MISSING_MESSAGE),
};
export const RESET: Fault = {
  errorType: 'ECONNRESET',
  make: () => Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' }),
};
export const ABORTED: Fault = {
  errorType: 'AbortError',
  make: () => new DOMException('the caller gave up', 'AbortError'),
};
const BUG: Fault = { errorType: 'TypeError', make: () => new TypeError('not a function') };
const TEXT: Fault = { errorType: VALUE_OTHER, make: () => 'text' };

/** Whether a catalog record matches it. */
export function isClassified(fault: Fault | undefined): boolean {
  const tags: unknown[] = [TAG_UNSUPPORTED_DRIVER_OPERATION, TAG_MISSING_METADATA_FIELD];
  return tags.includes(fault?.errorType);
}

/** Those from which nobody recovers by acquiring a fresh lease. */
export const FAULTS: readonly Fault[] = [UNSUPPORTED, RESET, ABORTED, BUG, TEXT];
