// @ts-check
/** The memory that the series of servers take in a Prometheus that is started here. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen } from '../../examples/demo/listen.mjs';

const SCRAPE_SECONDS = 10;
/** Long enough for every server to be scraped several times. */
const SETTLE_MS = 6 * SCRAPE_SECONDS * 1000;
/** Of what Prometheus says of itself. */
const GAUGES = {
  'series in memory': 'prometheus_tsdb_head_series',
  'resident memory (MB)': 'process_resident_memory_bytes',
  'heap in use (MB)': 'go_memstats_heap_inuse_bytes',
};

/**
 * @param {string} text what one server's `/metrics` answers; every server answers the same
 * @param {readonly number[]} fleets numbers of servers, each for a Prometheus of its own
 */
export async function measurePrometheus(text, fleets = [1, 50]) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text);
  });
  const target = new URL(await listen(server, 0)).host;
  try {
    /** @type {Record<string, Record<string, number>>} */
    const rows = {};
    for (const servers of fleets) rows[`${servers} servers`] = await measure(target, servers);
    return rows;
  } finally {
    close(server);
  }
}

/** @param {string} target @param {number} servers */
async function measure(target, servers) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-cost-'));
  const port = await freePort();
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(configOf(target, servers)));
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  const child = spawn('prometheus', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    await once(child, 'spawn');
    await sleep(SETTLE_MS);
    return read(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

/** JSON is YAML. @param {string} target @param {number} servers */
function configOf(target, servers) {
  const targets = Array.from({ length: servers }, (_, number) => ({
    targets: [target],
    labels: { instance: `server-${number}` },
  }));
  return {
    global: { scrape_interval: `${SCRAPE_SECONDS}s` },
    scrape_configs: [{ job_name: 'paperclip', static_configs: targets }],
  };
}

/** @param {string} text */
function read(text) {
  return Object.fromEntries(
    Object.entries(GAUGES).map(([label, name]) => {
      const value = Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
      return [label, name.endsWith('_bytes') ? Math.round(value / 1e5) / 10 : value];
    }),
  );
}

async function freePort() {
  const server = createServer();
  const url = await listen(server, 0);
  close(server);
  return Number(new URL(url).port);
}
