/**
 * What `--require` finds in place of the preloads. Paperclip is loaded as ES modules, whose hooks have to be in
 * place, and the preload finished, before the first of them: that is what `--import` is for.
 */
import workerThreads = require('node:worker_threads');

if (workerThreads.isMainThread) {
  process.emitWarning(
    'opentelemetry-instrumentation-paperclip is not attached: its preloads do nothing when they are required. ' +
      'Use node --import opentelemetry-instrumentation-paperclip/register (or /start) instead of --require',
    { type: 'PaperclipInstrumentationWarning' },
  );
}
