// @ts-check
/** Runs the demo, and prints its spans as JSON. Argument: the seed. */
import { startHost } from '../../../examples/demo/host.mjs';
import { startTelemetry } from '../../../examples/demo/telemetry.mjs';
import { Traffic } from '../../../examples/demo/traffic.mjs';

/** Attribute of a resource, which the package's conventions do not define. */
const SERVICE_NAME = 'service.name';
/** As many as the demo makes by itself. */
const REQUESTS = 60;

const seed = Number(process.argv[2]);
const telemetry = await startTelemetry(0);
const host = await startHost(telemetry, seed);
await new Traffic(host.url, seed).send(REQUESTS, new AbortController().signal);
host.close();
await telemetry.shutdown();

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
process.stdout.write(JSON.stringify(spans));

/** @param {[seconds: number, nanoseconds: number]} time */
function microseconds([seconds, nanoseconds]) {
  return seconds * 1e6 + nanoseconds / 1e3;
}
