// @ts-check
/**
 * What is left on the heap of operations that fail, each on a lease of its own of an owner of its own.
 * `node --expose-gc heap.mjs <operations> <operations>` prints the bytes after each, as JSON.
 */
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { failing, incompleteLease, makeDriver, onLease } from './host.mjs';
import { SLICE } from './measure.mjs';
import { startSdk } from './sdk.mjs';

const drop = startSdk();
const driver = new PaperclipInstrumentation().instrumentDriver(makeDriver());
const heaps = [];
let done = 0;
for (const operations of process.argv.slice(2).map(Number)) {
  for (; done < operations; done += 1) {
    await failing(driver.openDuplexChannel(onLease(incompleteLease(`lease-${done}`))));
    if (done % SLICE === 0) await drop();
  }
  await drop();
  heaps.push(await settledHeap());
}
process.stdout.write(JSON.stringify(heaps));

/** The least that several full collections leave, in bytes. */
async function settledHeap() {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 8; time += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}
