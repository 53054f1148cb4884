// @ts-check
/**
 * The demo, with `./start`, and with traffic on request: `POST /?requests={number}&seed={number}`
 * sends it and answers, when nothing of it is pending any more, with its ledger: pairs of a row and a count.
 * Argument: the port.
 */
import { createServer } from 'node:http';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { startHost } from '../../../examples/demo/host.mjs';
import { listen } from '../../../examples/demo/listen.mjs';
import { Traffic } from '../../../examples/demo/traffic.mjs';
import { silentPlugIn } from './silent-plug-in.mjs';

/** Seed of the latencies, which nobody counts. */
const SEED = 1;

// So that the table of leases is asked again when the traffic is over.
const shared = Symbol.for('opentelemetry-instrumentation-paperclip.shared.4');
Object(Reflect.get(globalThis, shared)).inventory.everyMs = 1000;

const instrumentation = new PaperclipInstrumentation({ leaseInventory: true });
// The older of two instrumentations records, and this one is told below that nothing is pending.
await import('opentelemetry-instrumentation-paperclip/start');
const host = await startHost({ instrumentation }, SEED);
const callSilentPlugIn = silentPlugIn(instrumentation);

const control = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '', host.url);
  const traffic = new Traffic(host.url, Number(searchParams.get('seed')));
  await traffic.send(Number(searchParams.get('requests')), new AbortController().signal);
  const rows = traffic.ledger.counts();
  if (rows.length > 0) rows.push([await callSilentPlugIn(), 1]);
  // What nobody has recovered from yet is counted as it stands.
  instrumentation.disable();
  instrumentation.enable();
  response.end(JSON.stringify(rows));
});
await listen(control, Number(process.argv[2]));
