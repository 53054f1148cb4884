// @ts-check
/**
 * The demo for the pictures: calm traffic, then for a while the demo's own mix, which is mostly trouble, then calm again.
 * Arguments: the port of the metrics, the seed, how long to send in seconds, and the file for the spans. The file is
 * written at the end of the traffic; the metrics are served until SIGTERM.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHost } from '../../../examples/demo/host.mjs';
import { KINDS } from '../../../examples/demo/kinds.mjs';
import { createRandom } from '../../../examples/demo/random.mjs';
import { startTelemetry } from '../../../examples/demo/telemetry.mjs';
import { Traffic } from '../../../examples/demo/traffic.mjs';

/** @import { Kind } from '../../../examples/demo/kinds.mjs' */

/** Attribute of a resource, which the package's conventions do not define. */
const SERVICE_NAME = 'service.name';
/** How much rarer trouble is in calm traffic than in the demo's mix. */
const CALM = 12;
/** When the trouble begins and ends, as shares of the time. */
const TROUBLE = { from: 0.55, to: 0.8 };
/** Requests for a lease at a time, ebbing and flowing, and the longest pause after them. */
const REQUESTS = 5;
const SWING = 2;
const TIDES = 3;
const PAUSE_MS = 500;

/** @param {Kind} kind */
const isTrouble = ({ request, reacquire }) =>
  request === 'fallback' || request === 'failed' || reacquire !== undefined;
const CALM_KINDS = KINDS.map((kind) => (isTrouble(kind) ? kind : { ...kind, weight: kind.weight * CALM }));

const [port = '0', seed = '1', seconds = '60', file = ''] = process.argv.slice(2);
const telemetry = await startTelemetry(Number(port));
const host = await startHost(telemetry, Number(seed));
process.once('SIGTERM', async () => {
  host.close();
  await telemetry.shutdown();
});

const traffic = new Traffic(host.url, Number(seed));
const random = createRandom(Number(seed));
const never = new AbortController().signal;
const begin = Date.now();
for (let share = 0; share < 1; share = (Date.now() - begin) / 1000 / Number(seconds)) {
  const kinds = share >= TROUBLE.from && share < TROUBLE.to ? KINDS : CALM_KINDS;
  const requests = Math.round(REQUESTS + SWING * Math.sin(2 * Math.PI * TIDES * share));
  await traffic.send(requests, never, kinds);
  // Else requests that nobody recovers from would be counted when their windows have passed.
  telemetry.settle();
  await sleep(PAUSE_MS * random());
}

const spans = telemetry.spans.map((span) => ({
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  service: span.resource.attributes[SERVICE_NAME],
  parentId: span.parentSpanContext?.spanId,
  name: span.name,
  attributes: span.attributes,
  status: span.status.code,
  start: microseconds(span.startTime),
  duration: microseconds(span.duration),
  links: span.links.map(({ context }) => context.spanId),
}));
// At once, for who waits for the file.
writeFileSync(`${file}.part`, JSON.stringify(spans));
renameSync(`${file}.part`, file);

/** @param {[seconds: number, nanoseconds: number]} time */
function microseconds([seconds, nanoseconds]) {
  return seconds * 1e6 + nanoseconds / 1e3;
}
