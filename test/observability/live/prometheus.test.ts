/**
 * Every expression on real data, and an alert on its whole way: the demo, a Prometheus with the rules, and an
 * Alertmanager with the project's configuration that delivers to a receiver of the test's own. The rules are 60 times
 * as fast as those of operators, so that a window of half an hour is one of half a minute.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accelerate, SPIKE_MIN_ERRORS, TIMING } from '../../../observability/src/limits.js';
import { runbookUrl } from '../../../observability/src/links.js';
import { labelName } from '../../../observability/src/names.js';
import { duration } from '../../../observability/src/promql.js';
import { unsupportedOperationsSpike } from '../../../observability/src/rules/alerts.js';
import { ALERTS } from '../../../observability/src/rules/index.js';
import { recordings } from '../../../observability/src/rules/recordings.js';
import type { Recording } from '../../../observability/src/rules/rule.js';
import {
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
} from '../../../src/semconv.js';
import { METRICS, patternsOf } from '../support.js';
import { startAlertmanager } from './alertmanager.js';
import { type Demo, startDemo, type Truth } from './demo.js';
import { CHOICES, EXPRESSIONS, fill } from './expressions.js';
import { Servers, until } from './processes.js';
import { JOBS, type Prometheus, RESOLUTION, startPrometheus } from './prometheus.js';
import {
  fallbackRate,
  fallbacksByDesign,
  overallFallbackRate,
  type Rates,
  reacquireSuccess,
} from './rates.js';
import { startWebhook, type Webhook } from './webhook.js';

/** An evaluation that takes longer than the interval would leave events out. */
const timing = { ...accelerate(TIMING, 60), interval: 2 };
const byName = ({ record }: Recording) => record;
const PROVIDER = labelName(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER);
const DRIVER = labelName(ATTR_PAPERCLIP_ENVIRONMENT_DRIVER);

/** Every kind of request, and too few unsupported operations of one driver and provider for a spike. */
const USUAL = { mix: 'usual', requests: 60, seed: 199 } as const;

/** Seconds that the rates are about. */
const WINDOW = timing.shares.busy.long;
/** A recording of each rate, and what the traffic says that it is. */
const RATES: [name: string, record: string, truth: (truth: Truth) => Rates][] = [
  ['fallback rate', 'job_provider:paperclip_duplex_fallback_rate', fallbackRate],
  ['fallbacks by design', 'job_provider:paperclip_duplex_fallbacks_by_design', fallbacksByDesign],
  [
    'fallback rate of all providers',
    'job:paperclip_duplex_fallback_rate',
    (truth) => ({ all: overallFallbackRate(truth) }),
  ],
  ['re-acquire success', 'job_provider:paperclip_lease_reacquire_success', reacquireSuccess],
];

/** The traffic is not enough for certainty within the shortest window. */
const UNCERTAIN = `lower_bound${duration(timing.shares.sudden)}`;
const RECORDED = Object.values(recordings(timing))
  .flatMap((group) => group.map(byName))
  .filter((record) => !record.endsWith(UNCERTAIN));

const servers = new Servers();
let webhook: Webhook;
let demo: Demo;
let prometheus: Prometheus;

/** Traffic that was sent, and the time from which on everything knows of all of it, in milliseconds. */
interface Sent {
  readonly truth: Truth;
  readonly known: number;
}
/** When windows may begin that are to be exact: the service is watched, and nobody has wanted a channel. */
let watched: number;
/** The same traffic twice: it makes every series begin, and then go on. */
let first: Sent;
let second: Sent;

beforeAll(async () => {
  webhook = await startWebhook();
  demo = await startDemo(servers);
  const alertmanager = await startAlertmanager(servers, webhook.url);
  prometheus = await startPrometheus(servers, { target: demo.target, alertmanager, timing });
  await until(async () => (await prometheus.query('up == 1')).length === JOBS.length, 'a scrape of each job');
  watched = (await send({ mix: 'idle', requests: 4, seed: 1 })).known;
  first = await send(USUAL);
  await sleepUntil(watched + 1000 * (WINDOW + 2 * timing.interval));
  second = await send(USUAL);
});

afterAll(async () => {
  await servers.close();
  webhook?.close();
});

/** @param time milliseconds since the epoch */
async function sleepUntil(time: number): Promise<void> {
  await sleep(Math.max(0, time - Date.now()));
}

async function send(traffic: Parameters<Demo['send']>[0]): Promise<Sent> {
  const truth = await demo.send(traffic);
  // A scrape, the events, what is made of them, and the alerts that refer to that.
  await sleep(1000 * (RESOLUTION + timing.lag + 3 * timing.interval));
  return { truth, known: Date.now() };
}

/** What a recording says of one job, by provider where it has them. */
async function recorded(record: string, job: string, at: number): Promise<Rates> {
  const samples = await prometheus.query(`${record}:ratio${duration(WINDOW)}{job="${job}"}`, at);
  return Object.fromEntries(samples.map(({ labels, value }) => [labels[PROVIDER] ?? 'all', value]));
}

describe.each(JOBS)('of %s,', (job) => {
  test.each(METRICS.map((metric) => [metric.name, metric] as const))('%s has data', async (_name, metric) => {
    for (const pattern of patternsOf(metric)) {
      expect(await prometheus.query(`{__name__=~"${pattern}", job="${job}"}`, second.known)).not.toEqual([]);
    }
  });

  test.each(EXPRESSIONS)('%s returns data', async (_title, expr) => {
    const samples = await prometheus.query(fill(expr, job), second.known);
    expect(samples).not.toEqual([]);
    expect(samples.filter(({ value }) => Number.isNaN(value))).toEqual([]);
  });

  test('the panel "Failed teardowns" shows leases that came back with a failed cleanup', async () => {
    const [, expr = ''] = EXPRESSIONS.find(([title]) => title.includes('Failed teardowns')) ?? [];
    const [share] = await prometheus.query(fill(expr, job), second.known);
    expect(share?.value).toBeGreaterThan(0);
  });

  test.each(CHOICES)('%s offers what there is', async (_title, label, selector) => {
    const values = await prometheus.labelValues(label, fill(selector, job));
    const providers = ['_OTHER', 'daytona', 'e2b', 'kubernetes'];
    expect(values).toEqual(label === PROVIDER ? providers : JOBS);
  });

  test.each(RECORDED)('%s has data', async (record) => {
    // Some hold for a short time only, such as that of a deployment.
    const samples = await prometheus.query(`last_over_time(${record}{job="${job}"}[5m])`);
    expect(samples).not.toEqual([]);
    expect(samples.filter(({ value }) => Number.isNaN(value))).toEqual([]);
  });

  test.each(RATES)('the %s is that of the traffic, exactly', async (_name, record, truth) => {
    const at = watched + 1000 * WINDOW;
    expect(first.known).toBeLessThan(at);
    const expected = truth(first.truth);
    const actual = await recorded(record, job, at);
    expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
    for (const [provider, rate] of Object.entries(expected)) expect(actual[provider]).toBeCloseTo(rate, 12);
  });

  test.each(RATES)('the %s goes on to be that of the traffic', async (_name, record, truth) => {
    const actual = await recorded(record, job, second.known);
    const expected = truth(second.truth);
    expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
    for (const [provider, rate] of Object.entries(expected)) expect(actual[provider]).toBeCloseTo(rate, 12);
  });

  /**
   * Where all is well an alert's expression has no series. What it compares with a limit has some, so an alert that does
   * not fire has looked at something.
   */
  test.each(ALERTS.map((create) => create(timing)))('$name looks at data', async ({ expr }) => {
    // Alerts about shares look at several windows; the traffic is not enough for the shortest.
    const compared = /[\w:]+:ratio1m/.exec(expr)?.[0] ?? expr.split(/ (?:>=|>) /)[0] ?? '';
    const samples = await prometheus.query(compared, second.known);
    expect(samples.filter(({ labels }) => labels.job === job)).not.toEqual([]);
  });
});

test('units are in the names of one job only', async () => {
  const [withUnits, withoutUnits] = await Promise.all(
    JOBS.map((job) => prometheus.labelValues('__name__', `{__name__=~"paperclip_.+", job="${job}"}`)),
  );
  expect(withoutUnits).toEqual(withUnits?.map((name) => name.replace(/_(seconds|bytes)(?=_)/, '')).sort());
  expect(withoutUnits).not.toEqual(withUnits);
});

test('Prometheus evaluates every rule without an error', async () => {
  expect(await prometheus.ruleErrors()).toEqual([]);
});

describe('a spike of unsupported operations', () => {
  const { name } = unsupportedOperationsSpike(timing);
  const delivered = (status: 'firing' | 'resolved') =>
    webhook.alerts.filter((alert) => alert.labels.alertname === name && alert.status === status);
  const jobs = (alerts: Webhook['alerts']) => [...new Set(alerts.map(({ labels }) => labels.job))].sort();

  test('fires, arrives at the receiver, and is resolved when it is over', async () => {
    // The usual traffic is none, and has left the window.
    expect(delivered('firing')).toEqual([]);
    await sleepUntil(second.known + 1000 * (timing.spike.window + 2 * timing.interval));

    const { truth } = await send({ mix: 'spike', requests: 40, seed: 1 });
    expect(truth.requests.get('e2b')?.fallback).toBeGreaterThan(SPIKE_MIN_ERRORS);
    for (const status of ['firing', 'resolved'] as const) {
      await until(() => jobs(delivered(status)).length === JOBS.length, `alerts that are ${status}`);
      expect(jobs(delivered(status))).toEqual(JOBS);
      for (const { labels, annotations, path } of delivered(status)) {
        expect({ labels, annotations, path }).toEqual({
          path: '/alerts',
          labels: {
            alertname: name,
            severity: 'warning',
            job: expect.any(String),
            [DRIVER]: 'sandbox',
            [PROVIDER]: 'e2b',
          },
          annotations: {
            summary: `Many more operations of ${labels.job} than usual are refused as unsupported (driver sandbox, provider e2b)`,
            // What is looked up is newer than the value by up to an evaluation, and may be over.
            description: expect.stringMatching(
              new RegExp(
                `^\\d+ operations of ${labels.job} were refused as unsupported by their driver in 10 seconds, more than 3 times as many as on average in the last 24 minutes and as at this time 168 minutes ago\\. Agents keep working, but fall back to one-shot commands\\.( Most often refused: open_duplex_channel\\.)?$`,
              ),
            ),
            runbook_url: runbookUrl('unsupported-operations-spike'),
            dashboard: '/d/paperclip-overview?var-provider=e2b',
          },
        });
      }
    }
  });
});
