// @ts-check
/**
 * Tries every expression on real data: starts the demo and a Prometheus that scrapes it and evaluates the rules, made
 * 60 times as fast, and asks for the expressions of all panels, annotations, variables and recordings. Needs
 * `prometheus` and `npm run observability`; `--raw` gives the metrics the names that they have without the demo's
 * views.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';

const BUILT = '../../../observability/.build/observability/src';
/** @type {typeof import('../../../observability/src/files.js')} */
const { DASHBOARDS } = await import(`${BUILT}/files.js`);
/** @type {typeof import('../../../observability/src/dashboards/dashboard.js')} */
const { dashboard } = await import(`${BUILT}/dashboards/dashboard.js`);
/** @type {typeof import('../../../observability/src/limits.js')} */
const { accelerate, TIMING } = await import(`${BUILT}/limits.js`);
/** @type {typeof import('../../../observability/src/rules/prometheus.js')} */
const { prometheusRules } = await import(`${BUILT}/rules/prometheus.js`);

const SPEED = 60;
const WARM_UP_MS = 75_000;
const isRaw = process.argv.includes('--raw');

/** The same for all panels: everything, since the start, in steps that hold several scrapes. @type {Record<string, string>} */
const VALUES = { $__range: '5m', $__rate_interval: '20s', $instance: '.*', $provider: '.*' };

/** What the demo's traffic does not have, and Prometheus cannot see without it. */
const EXPECTED_EMPTY = /paperclip_duplex_(losses|session_leaks|forward_duration)/;

const folder = mkdtempSync(join(tmpdir(), 'observability-'));
/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  for (const child of started) child.kill('SIGTERM');
  await sleep(1000);
  rmSync(folder, { recursive: true, force: true });
}

/** @returns {Promise<boolean>} whether every expression returns what it should */
async function main() {
  const metrics = await freePort();
  start(process.execPath, ['examples/demo/main.mjs', '--keep-running', '--port', String(metrics)]);
  const api = await startPrometheus(metrics);
  await sleep(WARM_UP_MS);

  const recorded = readFileSync(join(folder, 'rules.yml'), 'utf8');
  const rules = parse(recorded).groups.flatMap(
    (/** @type {{ rules: { record?: string, alert?: string, expr: string }[] }} */ group) => group.rules,
  );
  const expressions = [
    ...DASHBOARDS.flatMap((spec) => expressionsOf(dashboard(spec))),
    ...rules
      .filter((/** @type {{ record?: string }} */ { record }) => record !== undefined)
      .map((/** @type {{ record: string }} */ { record }) => ({
        title: `recording ${record}`,
        // Some hold for a short time only, such as that of a deployment.
        expr: `last_over_time(${record}[5m])`,
      })),
  ];
  let isGood = true;
  for (const { title, expr } of expressions) {
    const result = await ask(
      api,
      Object.entries(VALUES).reduce((text, [from, to]) => text.replaceAll(from, to), expr),
    );
    const isEmptyOnPurpose = EXPECTED_EMPTY.test(expr);
    const hasNaN = result.some(({ value }) => value === 'NaN');
    const verdict = result.length > 0 || isEmptyOnPurpose ? 'ok     ' : 'NO DATA';
    if (verdict !== 'ok     ') isGood = false;
    const sample = result[0] ? `${JSON.stringify(result[0].metric)} ${result[0].value}` : '';
    console.log(
      `${verdict} ${String(result.length).padStart(3)} ${title}${hasNaN ? ' (NaN)' : ''}  ${sample}`,
    );
  }
  const alerts = await (await fetch(`${api}/alerts`)).json();
  for (const { labels, state, annotations } of alerts.data.alerts) {
    console.log(`${state}: ${labels.alertname}: ${annotations.summary}`);
  }
  return isGood;
}

/** @param {import('@grafana/grafana-foundation-sdk/dashboard').Dashboard} built */
function expressionsOf({ title, panels = [], annotations }) {
  /** @param {unknown} target */
  const exprOf = (target) => /** @type {{ expr: string }} */ (target).expr;
  return [
    ...(annotations?.list ?? []).map(({ name, target }) => ({
      title: `${title} / annotation ${name}`,
      expr: exprOf(target),
    })),
    ...panels.flatMap((panel) =>
      'targets' in panel
        ? (panel.targets ?? []).map((target) => ({
            title: `${title} / ${panel.title}`,
            expr: exprOf(target),
          }))
        : [],
    ),
  ];
}

/** @param {number} metrics the port that serves them */
async function startPrometheus(metrics) {
  const port = await freePort();
  const rename = {
    source_labels: ['__name__'],
    regex: '(paperclip_.*)_(?:seconds|bytes)(_bucket|_count|_sum|_total)',
    target_label: '__name__',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Prometheus fills this in.
    replacement: '${1}${2}',
  };
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: [
      {
        job_name: 'paperclip',
        static_configs: [{ targets: [`127.0.0.1:${metrics}`] }],
        metric_relabel_configs: isRaw ? [rename] : [],
      },
    ],
  };
  writeFileSync(join(folder, 'rules.yml'), prometheusRules(accelerate(TIMING, SPEED)));
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  start('prometheus', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ]);
  return `http://127.0.0.1:${port}/api/v1`;
}

/**
 * @param {string} api
 * @param {string} query
 * @returns {Promise<{ metric: Record<string, string>, value: string }[]>}
 */
async function ask(api, query) {
  const answer = await (
    await fetch(`${api}/query`, { method: 'POST', body: new URLSearchParams({ query }) })
  ).json();
  if (answer.status !== 'success') throw new Error(`${answer.error}: ${query}`);
  return answer.data.result.map(
    (/** @type {{ metric: Record<string, string>, value: [number, string] }} */ { metric, value }) => ({
      metric,
      value: value[1],
    }),
  );
}

/** @param {string} program @param {string[]} args */
function start(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  child.on('error', (error) => {
    console.error(String(error));
    process.exit(1);
  });
  started.push(child);
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
