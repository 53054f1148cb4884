// @ts-check
/**
 * Simulated Paperclip servers. `GET /metrics/{index}` is the scrape of one of them. `POST /{situation}` begins another situation and
 * answers with the ledger: pairs of a series of requests, without its server, and its sum over all servers. Arguments: the port, and how many
 * servers.
 */
import { createServer } from 'node:http';
import { METRIC_PAPERCLIP_DUPLEX_REQUESTS } from '../../../dist/semconv.js';
import { listen } from '../../../examples/demo/listen.mjs';
import { Counters, createRandom, gauges, poisson, Run } from '../../../observability/browser/scenarios.mjs';

const SITUATIONS = ['calm', 'trouble', 'idle'];
const SECONDS = 5;
const RUNS_PER_HOUR = 60;
const SCOPE = 'otel_scope_version="0.1.0"';
const REQUESTS = `${METRIC_PAPERCLIP_DUPLEX_REQUESTS.name.replaceAll('.', '_')}_total`;

const [port, count] = process.argv.slice(2).map(Number);
const random = createRandom(17);
const servers = Array.from({ length: count ?? 0 }, () => new Counters(SCOPE));
let situation = 'calm';

setInterval(() => {
  if (situation === 'idle') return;
  for (const counters of servers) {
    const runs = poisson(random, (RUNS_PER_HOUR * SECONDS) / 3600);
    for (let i = 0; i < runs; i += 1) new Run(counters, random, situation === 'trouble').go();
  }
}, 1000 * SECONDS);

function ledger() {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { values } of servers) {
    for (const [series, value] of values) {
      if (series.startsWith(REQUESTS)) counts.set(series, (counts.get(series) ?? 0) + value);
    }
  }
  return [...counts];
}

const server = createServer((request, response) => {
  const [, name = '', index] = (request.url ?? '').split('/');
  const counters = servers[Number(index)];
  if (name === 'metrics' && counters) {
    const samples = [...counters.values].map(([series, value]) => `${series} ${value}`);
    return response.end([...samples, ...gauges(SCOPE, random, RUNS_PER_HOUR), ''].join('\n'));
  }
  if (!SITUATIONS.includes(name)) return response.end(SITUATIONS.join('\n'));
  situation = name;
  response.end(JSON.stringify(ledger()));
});
await listen(server, port ?? 0);
