// @ts-check
/**
 * One operation while 10,000 recovery episodes are open, against one with none: two instances of the
 * instrumentation, each with a driver of its own.
 */
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { failing, incompleteLease, makeDriver, onLease } from '../support/host.mjs';
import { startSdk } from '../support/sdk.mjs';

/** @import { Loops } from '../support/one-case.mjs' */

const OPEN = 10_000;
/** Open ones push out older ones, as on a server that has failed for long. */
const BEGUN = 25_000;

export default async function episodes(/** @type {Loops} */ loops) {
  const drop = startSdk();
  // Longer than the benchmark takes: no episode ends because its window passes.
  const config = { maxTrackedRecoveries: OPEN, reacquireWindowMs: 86_400_000 };
  const [busy, idle] = [config, config].map((options) =>
    new PaperclipInstrumentation(options).instrumentDriver(makeDriver()),
  );
  for (let begun = 0; begun < BEGUN; begun += 1) {
    await failing(busy.syncIn(onLease(incompleteLease(`incomplete-${begun}`))));
  }
  return {
    subject: loops.subject.executing(busy, drop),
    reference: loops.reference.executing(idle, drop),
  };
}
