// @ts-check
/** One refused open, against telemetry by hand that leaves the errors of the host their frames, as ours does. */
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { instrumentByHand } from '../support/by-hand.mjs';
import { makeDriver } from '../support/host.mjs';
import { startSdk } from '../support/sdk.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

export default function failureWithFrames(/** @type {Loops} */ loops) {
  const drop = startSdk();
  const instrumented = new PaperclipInstrumentation().instrumentDriver(makeDriver());
  const byHand = instrumentByHand(makeDriver(), { keepFrames: true });
  return {
    subject: loops.subject.refused(instrumented, drop),
    reference: loops.reference.refused(byHand, drop),
  };
}
