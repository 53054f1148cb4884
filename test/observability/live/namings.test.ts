/**
 * Dashboards and rules in each naming, on real servers of Prometheus 3 that get the demo's metrics over OTLP: with each of its
 * strategies for names, and with classic and native histograms. The rules are made faster, so that a window of half an hour is
 * one of half a minute.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { accelerate, TIMING } from '../../../observability/src/limits.js';
import { labelName } from '../../../observability/src/names.js';
import { duration, selectCount, sum } from '../../../observability/src/promql.js';
import { prometheusRules } from '../../../observability/src/rules/prometheus.js';
import { translateFile } from '../../../src/cli/naming/files.js';
import { NAMINGS } from '../../../src/cli/naming/names.js';
import { type Target, translate } from '../../../src/cli/naming/promql.js';
import {
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  OPERATION_NAMES,
} from '../../../src/semconv.js';
import { CHOICES, EXPRESSIONS, fill } from './expressions.js';
import { PROGRAMS, UNLESS_SKIPPED } from './go.js';
import { answering, freePort, Servers, until } from './processes.js';
import { Prometheus } from './prometheus.js';

const GENERATED = fileURLToPath(new URL('../../../observability/generated/', import.meta.url));
const HOST = fileURLToPath(new URL('collector-host.mjs', import.meta.url));
const SERVICE = 'paperclip-live';
const INSTANCE = 'paperclip-live-1';
const SEEDS = [1, 63];
const REQUESTS = 60;
/** Until there is something to compare with. */
const PAST_MS = 120_000;
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  job: [SERVICE],
  instance: [INSTANCE],
  [labelName(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER)]: ['_OTHER', 'daytona', 'e2b', 'kubernetes'],
};
/** Subqueries look at multiples of their step, of which this is the longest, in milliseconds. */
const STEP_MS = 30_000;

/** Seconds between evaluations: there are several servers at once. */
const INTERVAL = 3;
const timing = { ...accelerate(TIMING, 60), interval: INTERVAL, slowInterval: INTERVAL };
const RULES = prometheusRules(timing);
/** The traffic is not enough for certainty within the shortest window. */
const UNCERTAIN = `lower_bound${duration(timing.shares.sudden)}`;
const RECORDS: string[] = parse(RULES).groups.flatMap(({ rules }: { rules: { record?: string }[] }) =>
  rules.flatMap(({ record }) => (record && !record.endsWith(UNCERTAIN) ? [record] : [])),
);

/** Each naming and each kind of histograms once: the servers share a small machine. */
const TARGETS: readonly Target[] = NAMINGS.map((naming) => ({
  naming,
  hasNativeHistograms: naming !== 'NoUTF8EscapingWithSuffixes',
}));
const nameOf = ({ naming, hasNativeHistograms }: Target) =>
  `${naming}, ${hasNativeHistograms ? 'native' : 'classic'} histograms`;
const NAMED = TARGETS.map((target) => [nameOf(target), target] as const);

const servers = new Servers();
afterAll(() => servers.close());

test.skipIf(!PROGRAMS).each(NAMED)(
  `promtool of Prometheus 3 takes the files: %s${UNLESS_SKIPPED}`,
  async (name, target) => {
    const check = async (kind: string, path: string) => {
      const file = join(servers.folder, `${name} ${path}`.replaceAll(/[^\w.]+/g, '-'));
      writeFileSync(file, translateFile(path, readFileSync(join(GENERATED, path), 'utf8'), target));
      await promisify(execFile)(PROGRAMS?.promtool ?? '', ['check', kind, file]);
    };
    await check('rules', 'prometheus/paperclip.rules.yml');
    await check('config', 'lease-inventory/prometheus.yml');
  },
);

/** A Prometheus 3 that gets OTLP, with the rules of a naming. */
async function startPrometheus3(target: Target): Promise<{ prometheus: Prometheus; receiver: string }> {
  const folder = join(servers.folder, `prometheus-${nameOf(target).replaceAll(/\W+/g, '-')}`);
  mkdirSync(folder);
  const config = {
    global: { evaluation_interval: '1s' },
    rule_files: ['paperclip.rules.yml'],
    otlp: {
      translation_strategy:
        target.naming === 'underscores' ? 'UnderscoreEscapingWithSuffixes' : target.naming,
      promote_scope_metadata: true,
      convert_histograms_to_nhcb: target.hasNativeHistograms,
    },
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  writeFileSync(join(folder, 'paperclip.rules.yml'), translateFile('paperclip.rules.yml', RULES, target));
  const url = `http://127.0.0.1:${await freePort()}`;
  const started = servers.start(PROGRAMS?.prometheus ?? '', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${new URL(url).host}`,
    '--web.enable-otlp-receiver',
    '--log.level=warn',
  ]);
  await answering(started, `${url}/-/ready`);
  return { prometheus: new Prometheus(url), receiver: `${url}/api/v1/otlp/v1/metrics` };
}

/** Passes what it gets on to all receivers. */
async function startDistributor(receivers: readonly string[]): Promise<{ server: Server; url: string }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const sent = receivers.map((url) => fetch(url, { method: 'POST', headers, body: Buffer.concat(chunks) }));
    const refused = (await Promise.all(sent)).find(({ ok }) => !ok);
    response.writeHead(refused?.status ?? 200).end(await refused?.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.skipIf(!PROGRAMS)(`Prometheus 3${UNLESS_SKIPPED}`, () => {
  const prometheuses = new Map<Target, Prometheus>();
  let distributor: Server | undefined;
  /** Operations by name, as the traffic counted them itself. */
  const ledger: Record<string, number> = {};
  /** When everything knew of all of it, in milliseconds since the epoch. */
  let at: number;

  const prometheusOf = (target: Target) => prometheuses.get(target) as Prometheus;
  const operations = async (target: Target): Promise<Record<string, number>> => {
    const by = [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME];
    const counted = sum(selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION), by);
    const samples = await prometheusOf(target).query(translate(counted, target));
    return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(), value]));
  };
  const total = (counts: Record<string, number>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);

  beforeAll(async () => {
    if (!PROGRAMS) return;
    const started = await Promise.all(TARGETS.map(startPrometheus3));
    for (const [index, { prometheus }] of started.entries())
      prometheuses.set(TARGETS[index] as Target, prometheus);
    const distribution = await startDistributor(started.map(({ receiver }) => receiver));
    distributor = distribution.server;
    const port = await freePort();
    const host = servers.start(process.execPath, [HOST, String(port)], {
      OTEL_SERVICE_NAME: SERVICE,
      OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${INSTANCE},service.version=1.2.3`,
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: distribution.url,
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_TRACES_EXPORTER: 'none',
    });
    const url = `http://127.0.0.1:${port}`;
    await answering(host, `${url}/?requests=0&seed=0`);
    for (const [index, seed] of SEEDS.entries()) {
      // What happened before a service was watched is in no window of a rule.
      if (index > 0) await sleep(1000 * (timing.lag + 3 * INTERVAL));
      const answer = await fetch(`${url}/?requests=${REQUESTS}&seed=${seed}`, { method: 'POST' });
      for (const [row, count] of (await answer.json()) as [string, number][]) {
        const [name = ''] = row.split(' ');
        if ((OPERATION_NAMES as readonly string[]).includes(name)) ledger[name] = (ledger[name] ?? 0) + count;
      }
    }
    for (const target of TARGETS) {
      const hasAll = async () => total(await operations(target)) >= total(ledger);
      await until(hasAll, `all operations: ${nameOf(target)}`);
    }
    await sleep(1000 * 2 * INTERVAL);
    await sleep(STEP_MS - (Date.now() % STEP_MS) + 1000);
    at = Date.now();
  });
  afterAll(() => distributor?.close());

  describe.each(NAMED)('with %s', (_name, target) => {
    test('has as many operations as the traffic', async () => {
      expect(await operations(target)).toEqual(ledger);
    });

    test.each(EXPRESSIONS)('%s returns data', async (_title, expr) => {
      const samples = await prometheusOf(target).query(translate(fill(expr, INSTANCE), target), at);
      expect(samples).not.toEqual([]);
      expect(samples.filter(({ value }) => Number.isNaN(value))).toEqual([]);
    });

    test.each(CHOICES)('%s offers what there is', async (_title, label, selector) => {
      const translated = translate(`label_values(${fill(selector, INSTANCE)}, ${label})`, target);
      const [, inNaming = '', escaped = ''] = /^label_values\((.+), (\w+)\)$/.exec(translated) ?? [];
      expect(await prometheusOf(target).labelValues(escaped, inNaming)).toEqual(CHOSEN[label]);
    });

    test('everything is recorded, a baseline once it has a past', async () => {
      const names = () =>
        prometheusOf(target).labelValues('__name__', `{__name__=~".+:.+", job="${SERVICE}"}`);
      const missing = async () => {
        const recorded = new Set(await names());
        return RECORDS.filter((record) => !recorded.has(record));
      };
      await until(async () => (await missing()).length === 0, 'all recordings', PAST_MS).catch(() => {});
      expect(await missing()).toEqual([]);
    });

    test('evaluates every rule without an error', async () => {
      expect(await prometheusOf(target).ruleErrors()).toEqual([]);
    });
  });
});
