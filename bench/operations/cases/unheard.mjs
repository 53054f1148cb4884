// @ts-check
/** One operation without an SDK, against a wrapper that only passes the call on. */
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { makeDriver } from '../support/host.mjs';
import { passThrough } from '../support/pass-through.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

export default function unheard(/** @type {Loops} */ loops) {
  const instrumented = new PaperclipInstrumentation().instrumentDriver(makeDriver());
  return {
    subject: loops.subject.executing(instrumented),
    reference: loops.reference.executing(passThrough(makeDriver())),
  };
}
