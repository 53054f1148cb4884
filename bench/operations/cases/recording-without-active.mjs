// @ts-check
/** As `recording`, but that the one who wrote it by hand does not count what is under way. */
import recording from './recording.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

export default (/** @type {Loops} */ loops) => recording(loops, { countActive: false });
