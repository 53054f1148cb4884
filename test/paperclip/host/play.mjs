/**
 * Plays scenarios on the real server and prints one JSON document of what the caller saw and what was
 * exported. The workspace's tests run it in child processes, with and without the preload.
 *
 * The order is that of a real host: the server's modules are imported and its services built first, and the
 * SDK starts afterwards.
 */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import * as paperclip from '../node_modules/@paperclipai/server/dist/services/environment-runtime.js';
import { registeredThrough } from './loader-spy.mjs';
import { watch } from './watch.mjs';

const diagnostics = [];
const collect = (...parts) => diagnostics.push(parts.map(String).join(' '));
diag.setLogger(
  { error: collect, warn: collect, info: collect, debug: collect, verbose: collect },
  { logLevel: DiagLogLevel.ALL },
);

const prepared = [];
for (const name of process.argv.slice(2)) {
  const { prepare, early } = await import(`../scenarios/${name}.mjs`);
  prepared.push(...Object.entries(prepare(paperclip)));
  if (early !== undefined) await watch(() => early(paperclip));
}

const { startTelemetry } = await import('./telemetry.mjs');
const telemetry = startTelemetry();
const steps = {};
for (const [step, work] of prepared) {
  const seen = await watch(work);
  const { traceparents, ...exported } = await telemetry.take();
  steps[step] = { seen, exported, traceparents };
}

const document = { node: process.version, registeredThrough, steps, diagnostics };
// The server's logger keeps a worker thread alive, so the process does not end by itself.
process.stdout.write(JSON.stringify(document, forJson), () => process.exit(0));

/** Times differ from run to run, and of a function a document can only say that there is one. */
function forJson(key, value) {
  if (this[key] instanceof Date) return '<date>';
  return typeof value === 'function' ? '<function>' : value;
}
