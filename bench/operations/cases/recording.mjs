// @ts-check
/** One operation with an SDK that records, against the same telemetry by hand. */
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { instrumentByHand } from '../support/by-hand.mjs';
import { makeDriver } from '../support/host.mjs';
import { startSdk } from '../support/sdk.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

/**
 * @param {Loops} loops
 * @param {{ sampled?: boolean, countActive?: boolean }} [options]
 */
export default function recording(loops, { sampled, countActive } = {}) {
  const drop = startSdk({ sampled });
  const instrumented = new PaperclipInstrumentation().instrumentDriver(makeDriver());
  return {
    subject: loops.subject.executing(instrumented, drop),
    reference: loops.reference.executing(instrumentByHand(makeDriver(), { countActive }), drop),
  };
}
