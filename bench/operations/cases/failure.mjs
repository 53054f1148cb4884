// @ts-check
/** One refused open with an SDK that records, against the same telemetry by hand. */
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { instrumentByHand } from '../support/by-hand.mjs';
import { makeDriver } from '../support/host.mjs';
import { startSdk } from '../support/sdk.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

export default function failure(/** @type {Loops} */ loops) {
  const drop = startSdk();
  const instrumented = new PaperclipInstrumentation().instrumentDriver(makeDriver());
  return {
    subject: loops.subject.refused(instrumented, drop),
    reference: loops.reference.refused(instrumentByHand(makeDriver()), drop),
  };
}
