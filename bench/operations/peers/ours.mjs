// @ts-check
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { lease, makeDriver, onLease } from '../support/host.mjs';

/** @param {boolean} isInstrumented */
export default function ours(isInstrumented) {
  const driver = makeDriver();
  if (isInstrumented) new PaperclipInstrumentation().instrumentDriver(driver);
  const input = onLease(lease('lease-1'));
  return async (/** @type {number} */ operations) => {
    for (let done = 0; done < operations; done += 1) await driver.execute(input);
  };
}
