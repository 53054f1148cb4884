// @ts-check
/**
 * What the telemetry costs those who keep it: series of each metric, and bytes of metrics and spans as they are sent.
 * `npm run bench:cost [-- --prometheus]`; with the flag also the memory of a Prometheus that it starts.
 */
import { parseArgs } from 'node:util';
import { scrapeDemo } from './demo.mjs';
import { measurePrometheus } from './prometheus.mjs';
import { METRICS, openTelemetry, pointsOf, seriesOf, sizeOf, sizeOfMetrics, sizeOfSpans } from './sizes.mjs';
import { agentRun, everyFailureOnce, everythingOnce } from './traffic.mjs';
import { views } from './views.mjs';

/** @import { Host } from './host.mjs' */
/** @import { Collected } from './sizes.mjs' */

const { prometheus } = parseArgs({ options: { prometheus: { type: 'boolean', default: false } } }).values;
/** Requests of the demo; from some hundreds on, their number changes nothing. */
const DEMO_REQUESTS = 1000;
/** Spans of one request of the SDK's batch processor. */
const BATCH = 512;
/** Commands of one agent run. */
const COMMANDS = 4;

const scraped = await scrapeDemo(DEMO_REQUESTS);
const healthy = await metricsOf({}, everythingOnce);
const worst = await metricsOf({}, everythingOnce, everyFailureOnce);
const viewed = await metricsOf({ views }, everythingOnce, everyFailureOnce);

console.log('\nPoints of each metric, and series in Prometheus');
const columns = {
  demo: { points: pointsIn(scraped), series: seriesIn(scraped) },
  'healthy server': { points: pointsOf(healthy), series: seriesOf(healthy) },
  'every failure once': { points: pointsOf(worst), series: seriesOf(worst) },
  'with views': { points: pointsOf(viewed), series: seriesOf(viewed) },
};
console.table({
  ...Object.fromEntries(METRICS.map(({ name }) => [name, row(({ points }) => points.get(name) ?? 0)])),
  'all points': row(({ points }) => [...points.values()].reduce((sum, count) => sum + count, 0)),
  'all series': row(({ series }) => series),
});

console.log('\nBytes of all metrics: one scrape of /metrics, one request of the OTLP exporter');
console.table({
  'demo, scraped': sizeOf(scraped),
  'healthy server, OTLP': sizeOfMetrics(healthy),
  'every failure once, OTLP': sizeOfMetrics(worst),
  'every failure once, OTLP, with views': sizeOfMetrics(viewed),
  'every failure once, OTLP delta, idle': sizeOfMetrics(await deltaOf(0)),
  'every failure once, OTLP delta, one agent run': sizeOfMetrics(await deltaOf(1)),
});

console.log(`\nBytes for each span, in requests of ${BATCH}`);
console.table({
  'channel opened': await spanSizes({ refused: false }),
  'channel opened, captureIds: false': await spanSizes({ refused: false, captureIds: false }),
  'channel refused': await spanSizes({ refused: true }),
  'channel refused, captureIds: false': await spanSizes({ refused: true, captureIds: false }),
});

if (prometheus) {
  console.log('\nPrometheus that scrapes copies of what a server serves');
  console.table(await measurePrometheus(scraped));
}

/** @param {(column: (typeof columns)[keyof typeof columns]) => number} count */
function row(count) {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, count(column)]));
}

/**
 * @param {Parameters<typeof openTelemetry>[0]} options
 * @param {...(host: Host) => Promise<void>} traffic
 * @returns {Promise<Collected>}
 */
async function metricsOf(options, ...traffic) {
  const telemetry = openTelemetry(options);
  for (const send of traffic) await send(telemetry.host);
  telemetry.close();
  return await telemetry.collect();
}

/**
 * What a server whose every operation has failed before sends for an interval, in delta temporality.
 *
 * @param {number} runs how many agents run in it
 */
async function deltaOf(runs) {
  const { host, collect, close } = openTelemetry({ temporality: 'delta' });
  await everythingOnce(host);
  await everyFailureOnce(host);
  await collect();
  for (let run = 0; run < runs; run += 1) await agentRun(host, { commands: COMMANDS, refused: false });
  const collected = await collect();
  close();
  return collected;
}

/**
 * @param {object} options
 * @param {boolean} options.refused whether the channels are refused
 * @param {boolean} [options.captureIds]
 */
async function spanSizes({ refused, captureIds = true }) {
  const { host, spans, close } = openTelemetry({ config: { captureIds } });
  while (spans.length < BATCH) await agentRun(host, { commands: COMMANDS, refused });
  close();
  const { plain, gzip } = sizeOfSpans(spans.slice(0, BATCH));
  return { plain: Math.round(plain / BATCH), gzip: Math.round(gzip / BATCH) };
}

/**
 * Counts points in Prometheus' text by the metrics' own names.
 *
 * @param {string} text
 */
function pointsIn(text) {
  const lines = text.split('\n');
  return new Map(
    METRICS.map(({ name, boundaries }) => {
      const pattern = new RegExp(
        `^${name.replaceAll('.', '_')}(_seconds|_bytes)?${boundaries ? '_count' : '(_total)?'}\\{`,
      );
      return [name, lines.filter((line) => pattern.test(line)).length];
    }),
  );
}

/** @param {string} text */
function seriesIn(text) {
  return text.split('\n').filter((line) => line.startsWith('paperclip_')).length;
}
