// @ts-check
/** One operation with an SDK and the instrumentation disabled, against a wrapper that only passes the call on. */
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { makeDriver } from '../support/host.mjs';
import { passThrough } from '../support/pass-through.mjs';
import { startSdk } from '../support/sdk.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

export default function disabled(/** @type {Loops} */ loops) {
  startSdk();
  const instrumentation = new PaperclipInstrumentation();
  const driver = instrumentation.instrumentDriver(makeDriver());
  instrumentation.disable();
  return {
    subject: loops.subject.executing(driver),
    reference: loops.reference.executing(passThrough(makeDriver())),
  };
}
