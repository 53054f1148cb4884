/**
 * Preload: `node --import opentelemetry-instrumentation-paperclip/register server.js`. Attaches to Paperclip
 * and uses whatever SDK the host starts.
 */
import { isMainThread } from 'node:worker_threads';
import { isSwitchedOn } from './attach/environment.js';
import { registerLoader } from './attach/loader.js';
import { PaperclipInstrumentation } from './instrumentation.js';
import { warnOperator } from './signals/faults.js';

// Node.js runs a preload in every worker thread as well; Paperclip's server is in the main one.
if (isMainThread && isSwitchedOn(process.env)) await attach();

async function attach(): Promise<void> {
  try {
    const instrumentation = new PaperclipInstrumentation();
    await registerLoader(instrumentation.patchedFiles);
  } catch (error) {
    warnOperator(`not attached: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
}
