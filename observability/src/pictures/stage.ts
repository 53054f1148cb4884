/** The demo and a Prometheus that scrapes it, for as long as the pictures show. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { answering, freePort, Servers, until } from '../../../test/observability/live/processes.js';
import { accelerate, TIMING } from '../limits.js';
import { prometheusRules } from '../rules/prometheus.js';
import { type Measured, panelKey, type Range, type Series, type Span } from './measured.js';

const DEMO = 'observability/src/pictures/demo.mjs';
const SEED = 1;
/** How long the traffic goes on, and how long Prometheus goes on scraping after it, in seconds. */
const TRAFFIC = 300;
const QUIET = 4;
/** Between two scrapes, and between two points of a graph, in seconds. */
const SCRAPE = 1;
const STEP = 10;
/** A window of half an hour is one of half a minute. */
const SPEED = 60;

/** What Grafana fills in where everything is shown; the interval is by its rule. */
const VARIABLES = {
  $__rate_interval: `${Math.max(STEP + SCRAPE, 4 * SCRAPE)}s`,
  $__range: `${TRAFFIC + QUIET}s`,
  $instance: '.*',
  $provider: '.*',
} as const;

/** A target of a panel, as the dashboards have it. */
interface Target {
  readonly expr: string;
  readonly legendFormat?: string;
  readonly range?: boolean;
}

type Answer = { metric: Record<string, string>; values?: [number, string][]; value?: [number, string] }[];

/** Sends the traffic, which takes five minutes, and asks for what every panel of the dashboards shows. */
export async function measure(dashboards: readonly Dashboard[]): Promise<Measured> {
  const servers = new Servers();
  try {
    const metrics = await freePort();
    const file = join(servers.folder, 'spans.json');
    const args = [DEMO, metrics, SEED, TRAFFIC, file].map(String);
    const demo = servers.start(process.execPath, args);
    const prometheus = await startPrometheus(servers, metrics);
    await answering(demo, `http://127.0.0.1:${metrics}/metrics`);
    await until(
      () => {
        if (demo.child.exitCode !== null) throw new Error(`the demo ended:\n${demo.output()}`);
        return existsSync(file);
      },
      'the end of the traffic',
      2000 * TRAFFIC,
    );
    await sleep(1000 * QUIET);
    // Points where Grafana has them: at multiples of the step.
    const to = Math.floor(Date.now() / 1000 / STEP) * STEP * 1000;
    const range = { from: to - TRAFFIC * 1000, to, stepMs: STEP * 1000 };
    const panels: Record<string, Series[]> = {};
    for (const { title, panels: all = [] } of dashboards) {
      for (const panel of all) {
        if (panel.type === 'row') continue;
        panels[panelKey(title ?? '', panel.title ?? '')] = await answers(prometheus, panel as Panel, range);
      }
    }
    return { range, seed: SEED, panels, spans: JSON.parse(readFileSync(file, 'utf8')) as Span[] };
  } finally {
    await servers.close();
  }
}

async function startPrometheus(servers: Servers, metrics: number): Promise<string> {
  const config = {
    global: { scrape_interval: `${SCRAPE}s`, evaluation_interval: `${SCRAPE}s` },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'paperclip', static_configs: [{ targets: [`127.0.0.1:${metrics}`] }] }],
  };
  const configFile = join(servers.folder, 'prometheus.yml');
  writeFileSync(configFile, JSON.stringify(config));
  writeFileSync(join(servers.folder, 'rules.yml'), prometheusRules(accelerate(TIMING, SPEED)));
  const url = `http://127.0.0.1:${await freePort()}`;
  const started = servers.start('prometheus', [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${join(servers.folder, 'data')}`,
    `--web.listen-address=${new URL(url).host}`,
    '--log.level=error',
  ]);
  await answering(started, `${url}/-/ready`);
  return url;
}

async function answers(url: string, { targets = [] }: Panel, range: Range): Promise<Series[]> {
  const series: Series[] = [];
  for (const target of targets as unknown as Target[]) {
    const query = Object.entries(VARIABLES).reduce(
      (expr, [name, value]) => expr.replaceAll(name, value),
      target.expr,
    );
    const [from, to] = [range.from / 1000, range.to / 1000].map(String) as [string, string];
    const answer = target.range
      ? await ask(url, 'query_range', { query, start: from, end: to, step: String(STEP) })
      : await ask(url, 'query', { query, time: to });
    for (const { metric, values, value } of answer) {
      const points = (values ?? (value ? [value] : [])).map(
        ([time, text]) => [time * 1000, Number(text)] as const,
      );
      series.push({ labels: metric, name: legendOf(target, metric), points });
    }
  }
  return series;
}

/** As Grafana writes it: the labels between double braces, or nothing where there is no such label. */
function legendOf({ legendFormat = '' }: Target, labels: Readonly<Record<string, string>>): string {
  return legendFormat
    .replaceAll(/\{\{(\w+)\}\}/g, (_match, label: string) => labels[label] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

async function ask(url: string, path: string, parameters: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    body: new URLSearchParams(parameters),
  });
  const answer = (await response.json()) as { status: string; error?: string; data: { result: Answer } };
  if (answer.status !== 'success') throw new Error(`${answer.error}: ${parameters.query}`);
  return answer.data.result;
}
