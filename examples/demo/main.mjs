// @ts-check
/**
 * The demo: starts telemetry, then a server on an instrumented runtime, sends traffic to it, and reports what
 * the instrumentation saw.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startHost } from './host.mjs';
import { helpText, readOptions, UsageError } from './options.mjs';
import { printAgreement, printReport } from './report.mjs';
import { SERVICE_NAME, startTelemetry } from './telemetry.mjs';
import { Traffic } from './traffic.mjs';

/** @import { Options } from './options.mjs' */
/** @import { Telemetry } from './telemetry.mjs' */

/** Requests of the traffic that goes on with `--keep-running`, and the pause before each lot of them. */
const GENTLE_REQUESTS = 3;
const GENTLE_PAUSE_MS = 5000;

// The demo shows the same on every machine. A server of yours would want these variables.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('OTEL_')) delete process.env[name];
}
// A reader that has seen enough, such as `head`, closes the pipe.
process.stdout.on('error', () => process.exit());

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(helpText());
  else process.exitCode = (await runDemo(options)) ? 0 : 1;
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : error}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

/**
 * @param {Options} options
 * @returns {Promise<boolean>} whether metrics and ledger agree
 */
async function runDemo({ seed, requests, port, otlp, 'keep-running': keepRunning }) {
  const stop = keepRunning ? onInterrupt() : new AbortController().signal;
  const telemetry = await startTelemetryAt(port, otlp);
  const host = await startHost(telemetry, seed);
  try {
    const traffic = new Traffic(host.url, seed);
    console.log(`Sending ${requests} requests for a lease (seed ${seed}) …\n`);
    await traffic.send(requests, stop);
    telemetry.settle();
    await printReport(telemetry);
    if (!(await printAgreement(telemetry, traffic.ledger))) return false;
    if (otlp !== undefined) {
      await sendTraces(telemetry, otlp);
      console.log(`Traces were sent to ${otlp}, as those of the service ${SERVICE_NAME}`);
    }
    if (!keepRunning) {
      console.log(
        'Next: npm run demo -- --keep-running serves the metrics to Prometheus; see examples/demo/README.md',
      );
      return true;
    }
    console.log(`Prometheus finds the metrics at ${telemetry.metricsUrl} until you press Ctrl+C`);
    await sendGently(traffic, telemetry, stop);
    telemetry.settle();
    return await printAgreement(telemetry, traffic.ledger);
  } finally {
    host.close();
    await telemetry.shutdown();
  }
}

/** @param {number} port @param {string | undefined} otlp */
async function startTelemetryAt(port, otlp) {
  try {
    return await startTelemetry(port, otlp);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === undefined) throw error;
    const problem = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`;
    throw new Error(`port ${port} ${problem}; choose another with --port, or any free one with --port 0`);
  }
}

/** @param {Telemetry} telemetry @param {string} otlp */
async function sendTraces(telemetry, otlp) {
  await telemetry.send().catch((error) => {
    throw new Error(`traces cannot be sent to ${otlp}: ${error instanceof Error ? error.message : error}`);
  });
}

/**
 * @param {Traffic} traffic
 * @param {Telemetry} telemetry
 * @param {AbortSignal} stop
 */
async function sendGently(traffic, telemetry, stop) {
  while (!stop.aborted) {
    await sleep(GENTLE_PAUSE_MS, undefined, { signal: stop }).catch(() => {});
    await traffic.send(GENTLE_REQUESTS, stop);
    // Nobody will print these, and there is no end to them.
    telemetry.spans.length = 0;
  }
}

/** @returns {AbortSignal} aborted when the user or the system wants the process to end */
function onInterrupt() {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => controller.abort());
  return controller.signal;
}
