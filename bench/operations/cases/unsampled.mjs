// @ts-check
/** One operation whose span is not sampled, against the same telemetry by hand. */
import recording from './recording.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

export default (/** @type {Loops} */ loops) => recording(loops, { sampled: false });
