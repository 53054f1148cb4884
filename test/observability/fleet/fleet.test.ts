/**
 * The rules and dashboards on two hundred servers, in Thanos and in one Prometheus, while one of Thanos' receivers dies. `npm run
 * test:fleet` builds Thanos with Go, prints figures, and is run by hand.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accelerate, TIMING } from '../../../observability/src/limits.js';
import { prometheusRules } from '../../../observability/src/rules/prometheus.js';
import { EXPRESSIONS, fill } from '../live/expressions.js';
import { answering, freePort, Servers, until } from '../live/processes.js';
import { findProgram } from '../live/programs.js';
import { Prometheus, type Sample } from '../live/prometheus.js';
import { startThanos, type Thanos } from './thanos.js';

const COUNT = 200;
const JOB = 'paperclip';
const SCRAPE_SECONDS = 5;
/** An hour of a rule is five minutes here. */
const TIMES = 12;
/** Samples go through Prometheus first. */
const timing = { ...accelerate(TIMING, TIMES), lag: 3 * SCRAPE_SECONDS };
const FALLBACKS = 'PaperclipHighFallbackRate';
const REQUESTS = 'paperclip_duplex_requests_total';
const BY = ['paperclip_environment_provider', 'paperclip_duplex_outcome', 'paperclip_duplex_fallback_reason'];

const BUILD = fileURLToPath(new URL('../live/collector/build.mjs', import.meta.url));

const servers = new Servers();
let control: string;
let thanos: Thanos;
/** The same series in both. */
let one: Prometheus;
let many: Prometheus;
/** What was sent, when it was over. */
let truth: Map<string, number>;
let over: number;

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [BUILD, 'thanos']);
  const { thanos: program } = JSON.parse(stdout);
  const port = await freePort();
  control = `http://127.0.0.1:${port}`;
  const script = fileURLToPath(new URL('servers.mjs', import.meta.url));
  await answering(servers.start(process.execPath, [script, String(port), String(COUNT)]), control);
  const rules = join(servers.folder, 'paperclip.rules.yml');
  writeFileSync(rules, prometheusRules(timing));
  thanos = await startThanos(servers, program, rules);
  many = new Prometheus(thanos.querier.url);
  one = await startPrometheus(port, rules, thanos.remoteWrite);
  await sleep(90_000);
  await become('trouble');
  await until(async () => (await firing(one)).some(isAboutFallbacks), `${FALLBACKS} in Prometheus`, 900_000);
  await until(async () => (await firing(many)).some(isAboutFallbacks), `${FALLBACKS} in Thanos`, 120_000);
  thanos.receivers[1]?.process.child.kill('SIGKILL');
  await sleep(60_000);
  truth = await become('idle');
  await sleep(1000 * 4 * SCRAPE_SECONDS);
  over = Date.now() - 1000 * SCRAPE_SECONDS;
});

afterAll(async () => {
  if (over !== undefined) await tellFigures();
  await servers.close();
});

/** Prints what docs/cost.md says. */
async function tellFigures(): Promise<void> {
  const metric = async (url: string, name: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
      Number(value),
    );
  };
  const living = thanos.receivers.filter(({ process }) => process.child.signalCode === null);
  for (const [name, url] of [
    ...living.map(({ url }) => ['receiver', url] as const),
    ['querier', thanos.querier.url],
    ['ruler', thanos.ruler.url],
    ['Prometheus', one.url],
  ] as const) {
    const [series] = await metric(url, 'prometheus_tsdb_head_series');
    const [bytes = 0] = await metric(url, 'process_resident_memory_bytes');
    console.log(`${name}: ${series ?? 0} series, ${Math.round(bytes / 1e6)} MB`);
  }
  for (const [name, url] of [
    ['ruler', thanos.ruler.url],
    ['Prometheus', one.url],
  ] as const) {
    const durations = await metric(url, 'prometheus_rule_group_last_duration_seconds');
    console.log(`all rules once, ${name}: ${durations.reduce((sum, value) => sum + value, 0).toFixed(2)} s`);
  }
  const took = new Map<string, number>();
  for (const [title, expr] of EXPRESSIONS) {
    const began = performance.now();
    await many.query(fill(expr, '.*', TIMES), over);
    const [dashboard = ''] = title.split(' / ');
    took.set(dashboard, (took.get(dashboard) ?? 0) + performance.now() - began);
  }
  for (const [dashboard, ms] of took)
    console.log(`${dashboard}, one query after the other: ${Math.round(ms)} ms`);
}

async function become(situation: string): Promise<Map<string, number>> {
  const response = await fetch(`${control}/${situation}`, { method: 'POST' });
  return new Map((await response.json()) as [string, number][]);
}

async function startPrometheus(port: number, rules: string, remoteWrite: string): Promise<Prometheus> {
  const config = {
    global: { scrape_interval: `${SCRAPE_SECONDS}s`, evaluation_interval: `${SCRAPE_SECONDS}s` },
    rule_files: [rules],
    scrape_configs: [
      {
        job_name: JOB,
        static_configs: Array.from({ length: COUNT }, (_, index) => ({
          targets: [`127.0.0.1:${port}`],
          labels: { __metrics_path__: `/metrics/${index}`, instance: `paperclip-${index + 1}` },
        })),
      },
    ],
    remote_write: [
      {
        url: remoteWrite,
        // Thanos makes its own recordings and alerts.
        write_relabel_configs: [{ source_labels: ['__name__'], regex: '.*:.*|ALERTS.*', action: 'drop' }],
      },
    ],
  };
  const file = join(servers.folder, 'prometheus.yml');
  writeFileSync(file, JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const started = servers.start(findProgram(['prometheus'], 'prometheus'), [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(servers.folder, 'prometheus')}`,
    `--web.listen-address=${address}`,
    '--log.level=warn',
  ]);
  await answering(started, `http://${address}/-/ready`);
  return new Prometheus(`http://${address}`);
}

const firing = (engine: Prometheus) => engine.query('ALERTS{alertstate="firing"}');

function isAboutFallbacks({ labels }: Sample): boolean {
  return labels.alertname === FALLBACKS && labels.paperclip_environment_provider === 'e2b';
}

/** Each series with its labels in order; Thanos adds the tenant that it took the samples from. */
function byLabels(samples: readonly Sample[]): Map<string, number> {
  return new Map(
    samples.map(({ labels, value }) => {
      const { tenant_id: _, ...own } = labels;
      return [JSON.stringify(Object.entries(own).sort()), value];
    }),
  );
}

test.each([
  ['one Prometheus', () => one],
  ['Thanos after the loss of a receiver', () => many],
])('%s counts every request of the ledger', async (_name, engine) => {
  const samples = await engine().query(`sum by (${BY.join(', ')}) (${REQUESTS})`, over);
  const expected = [...truth].map(([series, count]) => {
    const labels = Object.fromEntries(
      [...series.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value] as const),
    );
    return {
      labels: Object.fromEntries(BY.flatMap((name) => (labels[name] ? [[name, labels[name]]] : []))),
      count,
    };
  });
  const summed = new Map<string, number>();
  for (const { labels, count } of expected) {
    const key = JSON.stringify(Object.entries(labels).sort());
    summed.set(key, (summed.get(key) ?? 0) + count);
  }
  expect(byLabels(samples)).toEqual(summed);
});

test('the same alerts fire in Thanos as in one Prometheus', async () => {
  const alerts = async (engine: Prometheus) => [...byLabels(await firing(engine)).keys()].sort();
  await until(
    async () => JSON.stringify(await alerts(one)) === JSON.stringify(await alerts(many)),
    'the same alerts in both',
    180_000,
  );
  expect((await firing(many)).some(isAboutFallbacks)).toBe(true);
});

/** What a recording says depends on when its rule was evaluated; counts and what is made of them does not. */
test.each(EXPRESSIONS.map(([title, expr]) => [title, fill(expr, '.*', TIMES)]))(
  '%s shows the same',
  async (_title, expr) => {
    const [expected, actual] = await Promise.all(
      [one, many].map(async (engine) => byLabels(await engine.query(expr, over))),
    );
    expect([...(actual?.keys() ?? [])].sort()).toEqual([...(expected?.keys() ?? [])].sort());
    if (/\b\w+:\w+:/.test(expr)) return;
    for (const [series, value] of expected ?? []) expect(actual?.get(series)).toBeCloseTo(value, 6);
  },
);
