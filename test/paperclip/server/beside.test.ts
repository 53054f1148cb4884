/**
 * What is left behind on the real server, as an operator learns of it: Prometheus' sql_exporter asks the server's own database with the
 * role that is made for it, and a Prometheus evaluates the rules, in which hours are seconds.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { ROLE } from '../../../observability/src/inventory.js';
import { accelerate, TIMING } from '../../../observability/src/limits.js';
import { ALERTS } from '../../../observability/src/rules/index.js';
import { prometheusRules } from '../../../observability/src/rules/prometheus.js';
import { INVENTORY_TABLES } from '../../../src/lease/inventory.js';
import { answering, freePort, Servers, until } from '../../observability/live/processes.js';
import { findProgram } from '../../observability/live/programs.js';
import { Prometheus } from '../../observability/live/prometheus.js';
import { PROVIDER_KEY, Site, START } from './site.js';

const ASSETS = join(import.meta.dirname, '../../../observability/generated/lease-inventory');
const RUNBOOKS = join(import.meta.dirname, '../../../docs/runbooks');
const PASSWORD = 'of this test alone';

/** How long an alert may take, and a test that waits for several. */
const PATIENCE_MS = 150_000;
vi.setConfig({ testTimeout: 4 * PATIENCE_MS, hookTimeout: 4 * PATIENCE_MS });

/** Windows that a burst of failures fills, and leases that are old after seconds. */
const window = { long: 20, short: 10 };
const TEST_TIMING = {
  ...accelerate(TIMING, 300),
  interval: 1,
  shares: { sudden: 15, busy: window, usual: window, quiet: window },
  leases: { waiting: 6, growth: 10, withoutRun: 60 },
  underWay: { execute: 10, other: 10 },
  hold: { short: 1, long: 3 },
};
const NAMES = ALERTS.map((create) => create(TEST_TIMING).name);

const programs = ((): { prometheus: string; exporter: string } | undefined => {
  try {
    return {
      prometheus: findProgram(['prometheus'], 'prometheus'),
      exporter: findProgram(['prometheus-sql-exporter'], 'prometheus-sql-exporter'),
    };
  } catch {
    return undefined;
  }
})();
const WHY = programs ? '' : ' (skipped: prometheus or prometheus-sql-exporter is not installed)';

describe.skipIf(!programs)(`Paperclip, sql_exporter and Prometheus${WHY}`, () => {
  const servers = new Servers();
  let site: Site;
  let prometheus: Prometheus;
  let good: string;

  beforeAll(async () => {
    if (!programs) return;
    site = await Site.create();
    const metrics = await freePort();
    await site.boot({
      preloads: [START],
      env: {
        ...site.receiver.envBySignal,
        OTEL_METRICS_EXPORTER: 'prometheus',
        OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
        OTEL_EXPORTER_PROMETHEUS_PORT: String(metrics),
        OTEL_INSTRUMENTATION_PAPERCLIP_PROVIDERS: PROVIDER_KEY,
      },
    });
    await site.database(async (sql) => {
      await sql.unsafe(readFileSync(join(ASSETS, 'role.sql'), 'utf8'));
      await sql.unsafe(`alter role ${ROLE} password '${PASSWORD}'`);
    });
    const exporter = await startExporter(programs.exporter);
    prometheus = await startPrometheus(programs.prometheus, `127.0.0.1:${metrics}`, exporter);
  });

  afterAll(async () => {
    await servers.close();
    await site?.close();
  });

  /** The role's address of the database, which only the site knows. */
  async function databaseUrl(): Promise<string> {
    const [row] = await site.database(
      (sql) => sql<{ port: string }[]>`select setting as port from pg_settings where name = 'port'`,
    );
    return `postgres://${ROLE}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${row?.port}/paperclip?sslmode=disable`;
  }

  /** The generated configuration, but with a query each second. */
  async function startExporter(program: string): Promise<string> {
    const file = join(servers.folder, 'sql_exporter.yml');
    const config = readFileSync(join(ASSETS, 'sql_exporter.yml'), 'utf8');
    writeFileSync(file, config.replace('interval: 60s', 'interval: 1s'));
    const address = `127.0.0.1:${await freePort()}`;
    const started = servers.start(program, [`-config.file=${file}`, `-web.listen-address=${address}`], {
      PAPERCLIP_METRICS_DATABASE_URL: await databaseUrl(),
    });
    await answering(started, `http://${address}/metrics`);
    return address;
  }

  async function startPrometheus(program: string, metrics: string, exporter: string): Promise<Prometheus> {
    const [scrape] = parse(readFileSync(join(ASSETS, 'prometheus.yml'), 'utf8')).scrape_configs;
    const address = `127.0.0.1:${await freePort()}`;
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['paperclip.rules.yml'],
      scrape_configs: [
        { job_name: 'paperclip', static_configs: [{ targets: [metrics] }] },
        { ...scrape, scrape_interval: '1s', static_configs: [{ targets: [exporter] }] },
      ],
    };
    writeFileSync(join(servers.folder, 'prometheus.yml'), JSON.stringify(config));
    writeFileSync(join(servers.folder, 'paperclip.rules.yml'), prometheusRules(TEST_TIMING));
    const started = servers.start(program, [
      `--config.file=${join(servers.folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(servers.folder, 'prometheus')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ]);
    await answering(started, `http://${address}/-/ready`);
    return new Prometheus(`http://${address}`);
  }

  /** The alerts that have fired so far, with the label that tells what they are about. */
  async function fired(): Promise<string[]> {
    const samples = await prometheus.query('max_over_time(ALERTS{alertstate="firing"}[1h])');
    const ours = samples.filter(({ labels }) => NAMES.includes(labels.alertname ?? ''));
    return [
      ...new Set(
        ours.map(({ labels: { alertname, error_type, paperclip_environment_operation_name: operation } }) =>
          [alertname, error_type ?? operation].filter(Boolean).join(' '),
        ),
      ),
    ].sort();
  }

  const firing = (name: string) =>
    until(async () => (await fired()).includes(name), name, PATIENCE_MS).catch(async (error: Error) => {
      throw new Error(`${error.message}; what fired: ${(await fired()).join(', ')}`);
    });

  /** How many leases are held, by status, policy and run. */
  type Held = Record<string, number>;

  async function reported(): Promise<Held> {
    const samples = await prometheus.query('paperclip_lease_held{job="paperclip", instance="database"} > 0');
    return Object.fromEntries(
      samples.map(({ labels, value }) => [
        `${labels.paperclip_lease_status} ${labels.paperclip_lease_policy} ${labels.paperclip_lease_run}`,
        value,
      ]),
    );
  }

  async function rows(): Promise<Held> {
    const leases = await site.database(
      (sql) => sql<{ kind: string; held: number }[]>`
        select concat_ws(' ', l.status, lease_policy,
            case when heartbeat_run_id is null then 'none' when finished_at is null then 'live' else 'ended' end) as kind,
          count(*)::int as held
        from environment_leases l left join heartbeat_runs r on r.id = heartbeat_run_id
        where released_at is null or l.status = 'pending_cleanup' group by 1`,
    );
    return Object.fromEntries(leases.map(({ kind, held }) => [kind, held]));
  }

  /** The leases that are held, once Prometheus says what the rows say. */
  async function held(): Promise<Held> {
    let both: [Held, Held] = [{}, {}];
    const isSame = async () => {
      both = [await rows(), await reported()];
      const [table, metric] = both.map((of) => JSON.stringify(Object.entries(of).sort()));
      return table === metric;
    };
    await until(isSame, 'Prometheus to say what the table says', PATIENCE_MS).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(both)}`);
    });
    return both[1];
  }

  /** What a runbook tells an operator to do in the database. */
  function statementOf(page: string, verb: 'select' | 'update'): string {
    const statements = readFileSync(join(RUNBOOKS, page), 'utf8').matchAll(/```sql\n([^`]+)```/g);
    const statement = [...statements].map(([, text]) => text).find((text) => text?.startsWith(verb));
    if (statement === undefined) throw new Error(`${page} has no ${verb}`);
    return statement;
  }

  it('nothing fires while all is well', async () => {
    good = await site.createEnvironment('Good');
    for (let probe = 0; probe < 4; probe += 1) expect((await site.probe(good)).ok).toBe(true);
    expect((await site.run(good)).status).toBe('succeeded');
    await delay((window.long + 5) * 1000);
    expect(await fired()).toEqual([]);
    expect(await held()).toEqual({});
  });

  it('the role reads the columns that the query needs, and nothing else', async () => {
    const readable = await site.database(
      (sql) => sql<{ name: string; column: string }[]>`
        select c.relname as name, a.attname as column from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where nspname not in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'p', 'v', 'm', 'f')
          and has_column_privilege(${ROLE}, c.oid, a.attnum, 'select')`,
    );
    const expected = Object.entries(INVENTORY_TABLES).flatMap(([table, columns]) =>
      columns.map((column) => `${table}.${column}`),
    );
    expect(readable.map(({ name, column }) => `${name}.${column}`).sort()).toEqual([...expected].sort());

    const sql = postgres(await databaseUrl());
    const refused = (statement: string) =>
      expect(sql.unsafe(statement), statement).rejects.toMatchObject({
        code: expect.stringMatching(/^42501$|^25006$/),
      });
    try {
      await refused('select metadata from environment_leases');
      await refused('select * from heartbeat_runs');
      await refused('select * from companies');
      await refused("update environment_leases set status = 'released'");
      await refused('set default_transaction_read_only = off; delete from environment_leases');
      await refused('set default_transaction_read_only = off; create table public.mine (id int)');
      const [row] = await sql.unsafe('show statement_timeout');
      expect(row).toEqual({ statement_timeout: '500ms' });
    } finally {
      await sql.end();
    }
  });

  it('a provider whose release throws', async () => {
    const keeping = await site.createEnvironment('Keeping', { environmentReleaseLease: 'refuse' });
    for (let probe = 0; probe < 4; probe += 1) await site.probe(keeping);
    expect(await held()).toEqual({ 'pending_cleanup ephemeral none': 4 });
    await firing('PaperclipTeardownsFail lease_cleanup_failed');
    await firing('PaperclipLeasesWaitForCleanup');
    const ages = await prometheus.query(
      'paperclip_lease_oldest_seconds{paperclip_lease_status="pending_cleanup"}',
    );
    expect(ages).toHaveLength(1);
    expect(ages[0]?.labels).toEqual({
      __name__: 'paperclip_lease_oldest_seconds',
      job: 'paperclip',
      instance: 'database',
      host: expect.stringContaining('127.0.0.1:'),
      database: 'paperclip',
      paperclip_lease_status: 'pending_cleanup',
      paperclip_lease_policy: 'ephemeral',
      paperclip_environment_driver: 'sandbox',
      // The generated query knows the built-in providers alone.
      paperclip_environment_provider: '_OTHER',
      paperclip_lease_run: 'none',
    });
    await expect(site.changeEnvironment(keeping, {})).rejects.toThrow('sandbox cleanup is pending');
    await expect(site.paperclip.deleteEnvironment(keeping)).rejects.toThrow('sandbox cleanup is pending');
  });

  it('is cleaned up by Paperclip when the runbook is followed, after five attempts in vain', async () => {
    await site.database(async (sql) => {
      await sql`
        update environment_leases set metadata = metadata || '{"pendingCleanupRetryAttempts": 5}'
        where status = 'pending_cleanup'`;
      await sql.unsafe(statementOf('leases-wait-for-cleanup.md', 'update'));
    });
    const isOver = async () => Object.keys(await rows()).length === 0;
    await until(isOver, 'the cleanup of the leases', PATIENCE_MS);
    expect(await held()).toEqual({});
  });

  it('an acquire that fails ten times', async () => {
    const refusing = await site.createEnvironment('Refusing', { environmentAcquireLease: 'refuse' });
    for (let probe = 0; probe < 10; probe += 1) expect((await site.probe(refusing)).ok).toBe(false);
    await firing('PaperclipAcquiresFail WORKER_ERROR');
    const moved = await site.paperclip.moveAgent(await site.createAgent(refusing), good);
    expect(moved.defaultEnvironmentId).toBe(good);
  });

  it('an execute that never returns, and a plug-in that does not answer', async () => {
    const hanging = await site.createEnvironment('Hanging', { environmentExecute: 'stall' });
    await site.runUntil(hanging, 'environmentExecute');
    const stalling = await site.createEnvironment('Stalling', { environmentAcquireLease: 'stall' });
    const probes = [1, 2, 3, 4].map(() => site.probe(stalling));
    await firing('PaperclipExecuteHangs execute');
    await firing('PaperclipOperationHangs acquire_run_lease');
    for (const { ok } of await Promise.all(probes)) expect(ok).toBe(false);
    await firing('PaperclipPluginCallsTimeOut acquire_run_lease');
    await firing('PaperclipAcquiresFail TIMEOUT');
    await site.paperclip.restartPlugin();
    const isOver = async () =>
      (await prometheus.query('max(paperclip_environment_operation_oldest)'))[0]?.value === 0;
    await until(isOver, 'the end of what hangs', PATIENCE_MS);
    expect((await site.probe(good)).ok).toBe(true);
  });

  it('an environment that is deleted with a lease on it, until the runbook is followed', async () => {
    const deleted = await site.createEnvironment('Deleted', { environmentExecute: 'stall' });
    const run = await site.runUntil(deleted, 'environmentExecute');
    await site.paperclip.deleteEnvironment(deleted);
    await site.paperclip.cancel(run);
    await firing('PaperclipLeasesStranded');
    expect((await held())['active ephemeral ended']).toBe(1);

    const outcome = await site.database(async (sql) => {
      const lease = async () => {
        const [row] = await sql<{ id: string; status: string }[]>`
          select id, status from environment_leases where heartbeat_run_id = ${run}`;
        return row;
      };
      const [found] = await sql.unsafe(statementOf('leases-stranded.md', 'select'));
      expect(found?.id).toBe((await lease())?.id);
      await sql.unsafe(statementOf('leases-stranded.md', 'update').replace('<lease id>', found?.id));
      const isOver = async () => !/active|pending/.test((await lease())?.status ?? '');
      await until(isOver, 'a teardown of the lease', PATIENCE_MS);
      return (await lease())?.status;
    });
    expect(outcome).toBe('expired');
  });

  it('nothing else has fired', async () => {
    expect(await fired()).toEqual([
      'PaperclipAcquiresFail TIMEOUT',
      'PaperclipAcquiresFail WORKER_ERROR',
      'PaperclipExecuteHangs execute',
      'PaperclipLeasesStranded',
      'PaperclipLeasesWaitForCleanup',
      'PaperclipOperationHangs acquire_run_lease',
      'PaperclipPluginCallsTimeOut acquire_run_lease',
      'PaperclipTeardownsFail lease_cleanup_failed',
    ]);
  });
});
