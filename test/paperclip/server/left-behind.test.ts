/** What is left behind on the real server, which span and metric tells of it, and what that asks of the database. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inventoryQuery } from '../../../src/lease/inventory.js';
import type { Attributes, Span } from '../../support/otlp.js';
import { latest, ofScope } from './expected.js';
import type { Server } from './server.mjs';
import { PROVIDER_KEY, Site, START } from './site.js';

const ON = { OTEL_INSTRUMENTATION_PAPERCLIP_LEASE_INVENTORY: 'true' };
/** Metrics every half a second, spans at once, and PostgreSQL's log in the server's. */
const ENV = {
  OTEL_INSTRUMENTATION_PAPERCLIP_PROVIDERS: PROVIDER_KEY,
  OTEL_METRIC_EXPORT_INTERVAL: '500',
  OTEL_METRIC_EXPORT_TIMEOUT: '500',
  OTEL_BSP_SCHEDULE_DELAY: '100',
  OTEL_LOG_LEVEL: 'warn',
  PAPERCLIP_EMBEDDED_POSTGRES_VERBOSE: 'true',
};
/** Shortens the minute between two queries, through the state that copies of the package share. */
const IMPATIENT = `data:text/javascript,${encodeURIComponent(
  "globalThis[Symbol.for('opentelemetry-instrumentation-paperclip.shared.4')].inventory.everyMs = 500;",
)}`;
/** What only our query says. */
const OURS = 'set transaction read only';
const PATIENCE_MS = 30_000;

/** How many leases there are of each kind, and the seconds since the first of them was acquired. */
type Stock = Record<string, { held: number; oldest: number }>;

let site: Site;
let server: Server;
beforeAll(async () => {
  site = await Site.create();
});
afterAll(() => site.close());

function boot(env: Record<string, string>, ...preloads: string[]): Promise<Server> {
  return site.boot({
    preloads: [START, ...preloads],
    env: { ...site.receiver.envBySignal, ...ENV, ...env },
  });
}

/** The leases that are not over, counted here from the rows themselves. */
async function rows(): Promise<Stock> {
  const leases = await site.database(
    (sql) => sql<{ status: string; policy: string; provider: string; run: string | null; age: number }[]>`
      select l.status, lease_policy as policy, provider, r.status as run,
        extract(epoch from clock_timestamp() - acquired_at)::float8 as age
      from environment_leases l left join heartbeat_runs r on r.id = heartbeat_run_id
      where released_at is null or l.status in ('pending_cleanup', 'retained')`,
  );
  const stock: Stock = {};
  for (const { status, policy, provider, run, age } of leases) {
    const ended =
      run === null ? 'none' : ['queued', 'running', 'scheduled_retry'].includes(run) ? 'live' : 'ended';
    const key = [status, policy, provider, ended].join(' ');
    const { held, oldest } = stock[key] ?? { held: 0, oldest: 0 };
    stock[key] = { held: held + 1, oldest: Math.max(oldest, age) };
  }
  return stock;
}

/** The same as the metrics have it. */
function reported(): Stock {
  const keyOf = (attributes: Attributes) =>
    ['lease.status', 'lease.policy', 'environment.provider', 'lease.run']
      .map((name) => attributes[`paperclip.${name}`])
      .join(' ');
  const oldest = new Map(
    latest(site.receiver.metrics, 'paperclip.lease.oldest').map(({ attributes, value }) => [
      keyOf(attributes),
      value,
    ]),
  );
  return Object.fromEntries(
    latest(site.receiver.metrics, 'paperclip.lease.held')
      .filter(({ value }) => value > 0)
      .map(({ attributes, value }) => [
        keyOf(attributes),
        { held: value, oldest: oldest.get(keyOf(attributes)) ?? 0 },
      ]),
  );
}

const counts = (stock: Stock) =>
  Object.entries(stock)
    .map(([key, { held }]) => `${held} ${key}`)
    .sort();

/** Waits until it is so. Fails with what is compared where it never is. */
async function until(isSo: () => boolean | Promise<boolean>, compared: () => unknown): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end)
      throw new Error(`not so: ${JSON.stringify(await compared())}\n${server.output.slice(-3000)}`);
    await delay(100);
  }
}

/** The leases that are held, once the metrics say what the rows say. */
async function stock(): Promise<string[]> {
  const isSo = async () => counts(await rows()).join() === counts(reported()).join();
  await until(isSo, async () => [await rows(), reported()]);
  const [table, metrics] = [await rows(), reported()];
  for (const [key, { oldest }] of Object.entries(metrics)) {
    // Rows are asked for later than the metrics were.
    const lag = (table[key]?.oldest ?? 0) - oldest;
    expect(lag).toBeGreaterThanOrEqual(0);
    expect(lag).toBeLessThan(10);
  }
  return counts(metrics);
}

const spans = (environment: string, operation: string): Span[] =>
  ofScope(site.receiver.spans).filter(
    ({ name, attributes }) =>
      name === `${operation} sandbox` && attributes['paperclip.environment.id'] === environment,
  );

/** How many operations of that name failed in which way, by the metric. */
function failures(operation: string): Record<string, number> {
  const durations = latest(site.receiver.metrics, 'paperclip.environment.operation.duration');
  return Object.fromEntries(
    durations
      .filter(({ attributes }) => attributes['paperclip.environment.operation.name'] === operation)
      .flatMap(({ attributes, value }) => {
        const error = attributes['error.type'];
        return error === undefined ? [] : [[error, value] as const];
      }),
  );
}

/** How long the oldest execute has been under way, by the metric. */
function oldestExecute(): number {
  const points = latest(site.receiver.metrics, 'paperclip.environment.operation.oldest');
  const point = points.find(
    ({ attributes }) => attributes['paperclip.environment.operation.name'] === 'execute',
  );
  return point?.value ?? 0;
}

const queries = () => server.output.split('\n').filter((line) => line.includes(OURS));

describe('with the option off', () => {
  beforeAll(async () => {
    server = await boot({});
    await site.database(async (sql) => {
      await sql`alter system set log_statement = 'all'`;
      await sql`select pg_reload_conf()`;
      await delay(500);
      await sql`select 'the log is on'`;
    });
    await site.probe(await site.createEnvironment('Off'));
    await delay(2000);
    await server.stop();
  });

  it('not one query of ours reaches the database, and nothing is reported of its leases', () => {
    expect(server.output).toContain('the log is on');
    expect(server.output).not.toContain(OURS);
    expect(latest(site.receiver.metrics, 'paperclip.environment.operation.duration')).not.toEqual([]);
    expect(latest(site.receiver.metrics, 'paperclip.lease.held')).toEqual([]);
    expect(latest(site.receiver.metrics, 'paperclip.lease.oldest')).toEqual([]);
  });
});

describe('with the option on', () => {
  let good: string;

  beforeAll(async () => {
    site.receiver.metrics.length = 0;
    server = await boot(ON, IMPATIENT);
  });

  it('nothing tells of a fault where there is none', async () => {
    good = await site.createEnvironment('Good');
    expect((await site.run(good)).status).toBe('succeeded');
    expect(await stock()).toEqual([]);
    for (const operation of ['acquire_run_lease', 'execute', 'release_run_lease'])
      expect(failures(operation)).toEqual({});
    await until(() => oldestExecute() === 0, oldestExecute);
  });

  it('a provider whose release throws leaves a lease that waits for cleanup', async () => {
    const refusing = await site.createEnvironment('Refusing', { environmentReleaseLease: 'refuse' });
    await site.run(refusing);
    expect(await stock()).toEqual([`1 pending_cleanup ephemeral ${PROVIDER_KEY} ended`]);
    await until(
      () => spans(refusing, 'release_run_lease').length > 0,
      () => site.receiver.spans,
    );
    const [release] = spans(refusing, 'release_run_lease');
    expect(release).toMatchObject({
      status: 2,
      attributes: {
        'error.type': 'lease_cleanup_failed',
        'paperclip.lease.status': 'pending_cleanup',
        'paperclip.lease.cleanup.status': 'failed',
        'paperclip.lease.provider_lease_id': site
          .calls()
          .findLast(({ environmentId }) => environmentId === refusing)?.providerLeaseId,
      },
    });
    expect(failures('release_run_lease')).toEqual({ lease_cleanup_failed: 1 });
  });

  it('so does a worker that dies between the run and the release', async () => {
    const dying = await site.createEnvironment('Dying', { environmentReleaseLease: 'die' });
    await site.run(dying);
    expect(await stock()).toEqual([`2 pending_cleanup ephemeral ${PROVIDER_KEY} ended`]);
    await until(
      () => spans(dying, 'release_run_lease').length > 0,
      () => site.receiver.spans,
    );
    expect(spans(dying, 'release_run_lease')).toMatchObject([
      { status: 2, attributes: { 'error.type': 'lease_cleanup_failed' } },
    ]);
    expect(failures('release_run_lease')).toEqual({ lease_cleanup_failed: 2 });
  });

  it('an acquire that fails ten times is counted ten times, and holds nothing', async () => {
    const before = await stock();
    // The worker is started again.
    await until(
      async () => (await site.probe(good)).ok,
      () => 'the worker',
    );
    const failing = await site.createEnvironment('Failing', { environmentAcquireLease: 'refuse' });
    for (let probe = 0; probe < 10; probe += 1) expect((await site.probe(failing)).ok).toBe(false);
    await until(
      () => failures('acquire_run_lease').WORKER_ERROR === 10,
      () => failures('acquire_run_lease'),
    );
    expect(spans(failing, 'acquire_run_lease').map(({ attributes }) => attributes['error.type'])).toEqual(
      Array.from({ length: 10 }, () => 'WORKER_ERROR'),
    );
    expect(await stock()).toEqual(before);
  });

  it('a table that is locked holds nobody up but those who need it, and is one line of the log', async () => {
    const exported = () => site.receiver.requests;
    const seen: [health: string | undefined, ours: number][] = [];
    await site.database((watch) =>
      site.database((sql) =>
        sql.begin(async (lock) => {
          await lock`lock table environment_leases in access exclusive mode`;
          const before = exported();
          while (exported() < before + 8) {
            const [ours] = await watch<{ count: number }[]>`
              select count(*)::int from pg_stat_activity where state = 'active' and query like ${`${OURS}%`}`;
            seen.push([await server.health(), ours?.count ?? Number.NaN]);
            await delay(50);
          }
        }),
      ),
    );
    expect(new Set(seen.map(([health]) => health))).toEqual(new Set(['ok']));
    expect(Math.max(...seen.map(([, ours]) => ours))).toBe(1);
    expect(server.output.split('asking the table of leases failed')).toHaveLength(2);
    expect(server.output).toContain('asking the table of leases failed (DrizzleQueryError 55P03)');
    expect((await site.probe(await site.createEnvironment('After the lock'))).ok).toBe(true);
    await stock();
  });

  it('an execute that never returns is told while it runs, with the lease that it holds', async () => {
    const stalling = await site.createEnvironment('Stalling', { environmentExecute: 'stall' });
    await site.runUntil(stalling, 'environmentExecute');
    await until(() => oldestExecute() > 2, oldestExecute);
    expect(spans(stalling, 'execute')).toEqual([]);
    expect(await stock()).toContain(`1 active ephemeral ${PROVIDER_KEY} live`);
  });

  it('an environment that is deleted with a lease on it leaves the lease, whose run has ended', async () => {
    const deleted = await site.createEnvironment('Deleted', { environmentExecute: 'stall' });
    const run = await site.runUntil(deleted, 'environmentExecute');
    await site.paperclip.deleteEnvironment(deleted);
    await site.paperclip.cancel(run);
    await until(() => reported()[`active ephemeral ${PROVIDER_KEY} ended`]?.held === 1, reported);
    expect(spans(deleted, 'release_run_lease')).toEqual([]);
    await stock();
  });
});

describe('the query', () => {
  const MIGRATIONS = join(import.meta.dirname, '../node_modules/@paperclipai/db/dist/migrations');

  /** Paperclip's migrations from the first on, which are the schemas of all its versions, one after the other. */
  async function migrate(sql: postgres.Sql, onMigrated: (file: string) => Promise<void>): Promise<void> {
    const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
    for (const file of files.sort()) {
      const text = readFileSync(join(MIGRATIONS, file), 'utf8');
      // A few repair what only an old installation has.
      for (const statement of text.split('--> statement-breakpoint'))
        await sql.unsafe(statement).catch(() => {});
      if (/environment_leases|heartbeat_runs/.test(text)) await onMigrated(file);
    }
  }

  it('works on every schema since there are leases, and looks each run up by its id', async () => {
    const query = inventoryQuery([]);
    await site.database((sql) => sql`create database history`);
    await site.database(async (sql) => {
      await sql`set synchronous_commit = off`;
      const said: string[] = [];
      await migrate(sql, async (file) => {
        const outcome = await sql.unsafe(query).then(
          () => 'works',
          ({ code }) => code,
        );
        if (!said.at(-1)?.endsWith(outcome)) said.push(`${file}: ${outcome}`);
      });
      expect(said).toEqual([expect.stringMatching(/^0000_.*: 42P01$/), '0065_environments.sql: works']);

      await sql`set session_replication_role = replica`;
      await sql`insert into heartbeat_runs (company_id, agent_id)
        select gen_random_uuid(), gen_random_uuid() from generate_series(1, 20000)`;
      await sql`insert into environment_leases (company_id, heartbeat_run_id)
        select company_id, id from heartbeat_runs limit 1000`;
      await sql`analyze`;
      const plan = await sql.unsafe(`explain ${query}`);
      expect(JSON.stringify(plan)).not.toContain('Seq Scan on heartbeat_runs');
      expect(await sql.unsafe(query)).toMatchObject([{ paperclip_lease_run: 'live', held: 1000 }]);
    }, 'history');
  });
});

describe('a server that is killed and started again', () => {
  beforeAll(async () => {
    await site.end();
    site.receiver.metrics.length = 0;
    server = await boot(ON);
  });

  it('tells of the leases that the last one held, and asks exactly once a minute, in bounds', async () => {
    await until(() => counts(reported()).length > 0, reported);
    expect(queries()).toHaveLength(1);
    expect(counts(reported())).toEqual(expect.arrayContaining([`1 active ephemeral ${PROVIDER_KEY} ended`]));
    const times: number[] = [];
    const began = performance.now();
    while (times.length < 2 && performance.now() - began < 160_000) {
      if (queries().length > times.length + 1) times.push(performance.now());
      await delay(100);
    }
    const [first = 0, second = 0] = times;
    expect(times).toHaveLength(2);
    // The log may come late.
    expect(second - first).toBeGreaterThan(55_000);
    expect(performance.now() - began).toBeLessThan(150_000);
    await delay(2000);
    expect(queries()).toHaveLength(3);
    expect(queries()[0]).toContain(
      `${OURS}; set local statement_timeout = 500; set local lock_timeout = 200;`,
    );
    expect(counts(reported())).toEqual(counts(await rows()));
  });
});
