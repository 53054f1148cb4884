/**
 * What `--require` loads instead of a preload: a warning. Paperclip consists of ES modules. The hooks must be registered, and
 * the preload finished, before the first of them is loaded, and only `--import` does that.
 */
import workerThreads = require('node:worker_threads');

if (workerThreads.isMainThread) {
  process.emitWarning(
    'opentelemetry-instrumentation-paperclip is not attached: its preloads do nothing when they are required. ' +
      'Use node --import opentelemetry-instrumentation-paperclip/register (or /start) instead of --require',
    { type: 'PaperclipInstrumentationWarning' },
  );
}
