// @ts-check
/**
 * The demo, with `./start` preloaded, and with traffic on request: `POST /?requests={number}&seed={number}`
 * sends it and answers, when nothing of it is pending any more, with its ledger: pairs of a row and a count.
 * Argument: the port.
 */
import { createServer } from 'node:http';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { startHost } from '../../../examples/demo/host.mjs';
import { listen } from '../../../examples/demo/listen.mjs';
import { Traffic } from '../../../examples/demo/traffic.mjs';

/** Seed of the latencies, which nobody counts. */
const SEED = 1;

const instrumentation = new PaperclipInstrumentation();
const host = await startHost({ instrumentation }, SEED);

const control = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '', host.url);
  const traffic = new Traffic(host.url, Number(searchParams.get('seed')));
  await traffic.send(Number(searchParams.get('requests')), new AbortController().signal);
  // What nobody has recovered from yet is counted as it stands.
  instrumentation.disable();
  instrumentation.enable();
  response.end(JSON.stringify(traffic.ledger.counts()));
});
await listen(control, Number(process.argv[2]));
