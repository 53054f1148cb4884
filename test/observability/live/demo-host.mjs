// @ts-check
/**
 * The demo with traffic on request. `POST /{mix}?requests={number}&seed={number}` sends it and answers, when nothing of
 * it is pending any more, with its ledger: pairs of a row and a count. Arguments: the ports of the metrics and of the
 * requests.
 */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHost } from '../../../examples/demo/host.mjs';
import { KINDS } from '../../../examples/demo/kinds.mjs';
import { close, listen } from '../../../examples/demo/listen.mjs';
import { startTelemetry } from '../../../examples/demo/telemetry.mjs';
import { Traffic } from '../../../examples/demo/traffic.mjs';
import { silentPlugIn } from './silent-plug-in.mjs';

/** @import { Kind } from '../../../examples/demo/kinds.mjs' */

/** @type {Readonly<Record<string, readonly Kind[]>>} */
const MIXES = {
  usual: KINDS,
  /** Nobody wants a channel. */
  idle: KINDS.filter(({ request }) => request === undefined),
  /** Many opens are refused as unsupported, all on the same provider, and some succeed. */
  spike: KINDS.filter(
    ({ environment, work, request }) =>
      environment === 'e2b' && ((work === 'duplex-by-hand' && request === 'fallback') || work === 'duplex'),
  ),
};
/** Seed of the latencies, which nobody counts. */
const SEED = 1;

const [metricsPort, port] = process.argv.slice(2).map(Number);
const telemetry = await startTelemetry(metricsPort ?? 0);
const host = await startHost(telemetry, SEED);

const callSilentPlugIn = silentPlugIn(telemetry.instrumentation);
/** The demo's commands take milliseconds. This one is seen by a scrape while it runs. */
const slow = telemetry.instrumentation.instrumentDriver({
  driver: 'local',
  /** @param {object} _input */
  execute: (_input) => sleep(3000),
});

const control = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', host.url);
  const kinds = MIXES[pathname.slice(1)];
  if (request.method !== 'POST' || !kinds) return response.end(Object.keys(MIXES).join('\n'));
  const traffic = new Traffic(host.url, Number(searchParams.get('seed')));
  await traffic.send(Number(searchParams.get('requests')), new AbortController().signal, kinds);
  await callSilentPlugIn();
  await slow.execute({ environment: { driver: 'local' } });
  telemetry.settle();
  telemetry.spans.length = 0;
  response.end(JSON.stringify(traffic.ledger.counts()));
});
await listen(control, port ?? 0);

process.once('SIGTERM', async () => {
  close(control);
  host.close();
  await telemetry.shutdown();
});
