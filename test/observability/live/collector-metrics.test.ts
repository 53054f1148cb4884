/**
 * Every expression on metrics that a server sends to a Collector over OTLP. The rules are made faster, so that
 * a window of half an hour is one of half a minute. Takes about a minute for each way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { accelerate, TIMING } from '../../../observability/src/limits.js';
import { labelName } from '../../../observability/src/names.js';
import { duration } from '../../../observability/src/promql.js';
import { prometheusRules } from '../../../observability/src/rules/prometheus.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  ATTR_PAPERCLIP_LEASE_SHAPE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type MetricDefinition,
  OPERATION_NAMES,
} from '../../../src/semconv.js';
import { METRICS } from '../support.js';
import { connect, WAYS } from './collector-prometheus.js';
import { CHOICES, EXPRESSIONS, fill } from './expressions.js';
import { PROGRAMS, UNLESS_SKIPPED } from './go.js';
import { answering, freePort, Servers, until } from './processes.js';
import type { Prometheus } from './prometheus.js';

const HOST = fileURLToPath(new URL('collector-host.mjs', import.meta.url));
const SERVICE = 'paperclip-live';
const INSTANCE = 'paperclip-live-1';
const timing = { ...accelerate(TIMING, 60), interval: 2 };
/** The traffic is not enough for certainty within the shortest window. */
const UNCERTAIN = `lower_bound${duration(timing.shares.sudden)}`;
const RECORDS: string[] = parse(prometheusRules(timing)).groups.flatMap(
  ({ rules }: { rules: { record?: string }[] }) =>
    rules.flatMap(({ record }) => (record && !record.endsWith(UNCERTAIN) ? [record] : [])),
);
const SEEDS = [1, 63];
const REQUESTS = 60;
/** Until there is something to compare with. */
const PAST_MS = 120_000;
/** Until the rules were evaluated on what is there. */
const EVALUATED_MS = 8000;

/** The names that a Collector gives the series of a metric. */
function seriesOf({ name, unit, instrument }: MetricDefinition): string[] {
  const suffix = { s: '_seconds', By: '_bytes' }[unit] ?? '';
  const base = labelName(name) + suffix;
  if (instrument === 'histogram') return [`${base}_bucket`, `${base}_count`, `${base}_sum`];
  return [instrument === 'counter' ? `${base}_total` : base];
}

describe.skipIf(!PROGRAMS).each(WAYS)(
  `metrics through the Collector of examples/%s${UNLESS_SKIPPED}`,
  (way) => {
    const servers = new Servers();
    let prometheus: Prometheus;
    /** What the traffic counted itself. */
    const ledger: Record<string, number> = {};
    /** When Prometheus had all of it, in milliseconds since the epoch. */
    let at: number;

    beforeAll(async () => {
      if (!PROGRAMS) return;
      const connected = await connect(servers, PROGRAMS.collector, way, timing);
      prometheus = connected.prometheus;
      const port = await freePort();
      const host = servers.start(process.execPath, [HOST, String(port)], {
        OTEL_SERVICE_NAME: SERVICE,
        OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${INSTANCE},service.version=1.2.3`,
        OTEL_EXPORTER_OTLP_ENDPOINT: connected.collector.otlp['http/protobuf'],
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        OTEL_TRACES_EXPORTER: 'none',
      });
      const url = `http://127.0.0.1:${port}`;
      await answering(host, `${url}/?requests=0&seed=0`);
      for (const [index, seed] of SEEDS.entries()) {
        // What happened before a service was watched is in no window of a rule.
        if (index > 0) await sleep(1000 * timing.shares.busy.long);
        const answer = await fetch(`${url}/?requests=${REQUESTS}&seed=${seed}`, { method: 'POST' });
        for (const [row, count] of (await answer.json()) as [string, number][]) {
          ledger[row] = (ledger[row] ?? 0) + count;
        }
      }
      await until(async () => sum(await operations()) >= sum(ofLedger(isOperation)), 'all operations');
      await until(async () => sum(await reacquires()) >= sum(ofLedger(isReacquire)), 'all re-acquires');
      await sleep(EVALUATED_MS);
      at = Date.now();
    });
    afterAll(() => servers.close());

    const isOperation = (row: string) =>
      (OPERATION_NAMES as readonly string[]).includes(row.split(' ')[0] ?? '');
    const isReacquire = (row: string) => row.startsWith('re-acquire ');
    const ofLedger = (isWanted: (row: string) => boolean) =>
      Object.fromEntries(Object.entries(ledger).filter(([row]) => isWanted(row)));
    const sum = (counts: Record<string, number>) =>
      Object.values(counts).reduce((total, count) => total + count, 0);

    /**
     * Adds up a series by attributes, and names each sum as the ledger does.
     *
     * @param words what the names begin with
     * @param attributes for each further word those that it may be the value of
     */
    const counted = async (
      metric: MetricDefinition,
      words: readonly string[],
      attributes: readonly (readonly string[])[],
    ): Promise<Record<string, number>> => {
      const labels = attributes.map((names) => names.map(labelName));
      const series = seriesOf(metric).find((name) => /_(count|total)$/.test(name));
      const samples = await prometheus.query(`sum by (${labels.flat().join()}) (${series})`);
      return Object.fromEntries(
        samples.map((sample) => {
          const values = labels.map((names) => names.map((name) => sample.labels[name]).find(Boolean));
          const end = values.pop() ?? 'ok';
          return [[...words, ...values.map((value) => value ?? '-'), end].join(' '), sample.value];
        }),
      );
    };
    const operations = () =>
      counted(
        METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
        [],
        [
          [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME],
          [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER],
          [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER],
          [ATTR_PAPERCLIP_LEASE_SHAPE],
          [ATTR_ERROR_TYPE, ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME],
        ],
      );
    const reacquires = () =>
      counted(
        METRIC_PAPERCLIP_LEASE_REACQUIRES,
        ['re-acquire'],
        [[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER], [ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]],
      );

    test('are as many as the traffic had operations and re-acquires', async () => {
      expect(await operations()).toEqual(ofLedger(isOperation));
      expect(await reacquires()).toEqual(ofLedger(isReacquire));
    });

    test('have the names that the rules and panels look for', async () => {
      const names = await prometheus.labelValues('__name__', '{__name__=~"paperclip_.+"}');
      expect(names.sort()).toEqual(METRICS.flatMap(seriesOf).sort());
    });

    test('belong to the server, not to the Collector', async () => {
      const owners = await prometheus.query('count by (job, instance) ({__name__=~"paperclip_.+"})');
      expect(owners.map(({ labels }) => labels)).toEqual([{ job: SERVICE, instance: INSTANCE }]);
      const infos = await prometheus.query('target_info');
      expect(infos.map(({ labels }) => labels)).toEqual([
        expect.objectContaining({ job: SERVICE, instance: INSTANCE, service_version: '1.2.3' }),
      ]);
    });

    test.each(EXPRESSIONS)('%s returns data', async (_title, expr) => {
      const samples = await prometheus.query(fill(expr, INSTANCE), at);
      expect(samples).not.toEqual([]);
      expect(samples.filter(({ value }) => Number.isNaN(value))).toEqual([]);
    });

    // A baseline needs a past.
    test.each(RECORDS)('%s is recorded', async (record) => {
      const isRecorded = async () =>
        (await prometheus.query(`last_over_time(${record}{job="${SERVICE}"}[10m])`)).length > 0;
      await until(isRecorded, record, PAST_MS);
    });

    test.each(CHOICES)('%s offers what there is', async (_title, label, selector) => {
      const values = await prometheus.labelValues(label, fill(selector, INSTANCE));
      const chosen = {
        job: [SERVICE],
        instance: [INSTANCE],
        [labelName(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER)]: ['_OTHER', 'daytona', 'e2b', 'kubernetes'],
      };
      expect(values).toEqual(chosen[label]);
    });

    test('let the rules be evaluated', async () => {
      expect(await prometheus.ruleErrors()).toEqual([]);
    });
  },
);
