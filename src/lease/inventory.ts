/** The query that asks Paperclip's database which leases are not over, and its rows. It is written here only. */
import type { Attributes } from '@opentelemetry/api';
import { isObject } from '../base/values.js';
import * as semconv from '../semconv.js';

/** The columns that the query reads, by their table. A role that may select these can run it. */
export const INVENTORY_TABLES = {
  environment_leases: ['status', 'lease_policy', 'provider', 'heartbeat_run_id', 'acquired_at'],
  heartbeat_runs: ['id', 'status'],
} as const;

/** Paperclip's `HEARTBEAT_RUN_STATUSES` of runs that wait or run, and of those that are over. */
const LIVE_RUNS = ['queued', 'scheduled_retry', 'running'] as const;
const ENDED_RUNS = ['succeeded', 'interrupted', 'failed', 'cancelled', 'timed_out'] as const;

/** The columns of a row of the result: how many leases, and the seconds since the first of them was acquired. */
export const HELD_COLUMN = 'held';
export const OLDEST_COLUMN = 'oldest';

/** The column of a row that holds the attribute: its name as Prometheus has it. */
export function inventoryColumn(attribute: string): string {
  return attribute.replaceAll('.', '_');
}

/**
 * One row for each set of attributes of `paperclip.lease.held`. An attribute that is not there is an empty text. Every value is
 * from a closed set, so there are few rows.
 *
 * Paperclip's drivers write their own name into `provider` where they have no providers, and the driver `plugin` writes
 * `plugin:<plugin>:<driver>` (`acquireRunLease` in `services/environment-runtime.js`). So the row alone tells the driver, also when
 * its environment has been deleted. The columns are the same in all versions from 2026.427.0 on.
 *
 * `limit 1` has PostgreSQL look each run up by its id. As a plain join it may read all runs, which are the bigger table.
 *
 * @param providers keys that are recorded as they are; at least one
 * @returns one `select` of PostgreSQL
 */
export function inventoryQuery(providers: Iterable<string>): string {
  const other = literal(semconv.VALUE_OTHER);
  const withoutProvider = literals(semconv.DRIVERS_WITHOUT_PROVIDER);
  return `select l.status as ${inventoryColumn(semconv.ATTR_PAPERCLIP_LEASE_STATUS)},
  case when l.lease_policy in (${literals(semconv.LEASE_POLICIES)}) then l.lease_policy
    else ${other} end as ${inventoryColumn(semconv.ATTR_PAPERCLIP_LEASE_POLICY)},
  case when l.provider in (${withoutProvider}) then l.provider
    when l.provider like 'plugin:%' then 'plugin'
    when l.provider <> '' then 'sandbox'
    else '' end as ${inventoryColumn(semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER)},
  case when l.provider in (${literals(providers)}) then l.provider
    when l.provider <> '' and l.provider not in (${withoutProvider}) then ${other}
    else '' end as ${inventoryColumn(semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER)},
  case when l.heartbeat_run_id is null then 'none'
    when run.status in (${literals(LIVE_RUNS)}) then 'live'
    when run.status in (${literals(ENDED_RUNS)}) then 'ended'
    else ${other} end as ${inventoryColumn(semconv.ATTR_PAPERCLIP_LEASE_RUN)},
  count(*)::int as ${HELD_COLUMN},
  extract(epoch from now() - min(l.acquired_at))::float8 as ${OLDEST_COLUMN}
from environment_leases l left join lateral
  (select r.status from heartbeat_runs r where r.id = l.heartbeat_run_id limit 1) run on true
where l.status in (${literals(semconv.HELD_LEASE_STATUSES)})
group by 1, 2, 3, 4, 5`;
}

/** Leases that have the same attributes. */
export interface HeldLeases {
  /** Attributes of the points, by their names. */
  readonly attributes: Attributes;
  readonly count: number;
  /** Seconds since the first of them was acquired. */
  readonly oldest: number;
}

/**
 * Reads the rows of {@link inventoryQuery}.
 *
 * @throws TypeError where a row is not one of that query
 */
export function readInventory(rows: readonly unknown[]): HeldLeases[] {
  return rows.map((row) => {
    if (!isObject(row)) throw new TypeError('no row');
    const attributes: Attributes = {};
    for (const attribute of semconv.METRIC_PAPERCLIP_LEASE_HELD.attributes) {
      const value = row[inventoryColumn(attribute)];
      if (typeof value !== 'string') throw new TypeError('no text');
      if (value !== '') attributes[attribute] = value;
    }
    const { [HELD_COLUMN]: count, [OLDEST_COLUMN]: oldest } = row;
    if (typeof count !== 'number' || typeof oldest !== 'number') throw new TypeError('no number');
    return { attributes, count, oldest };
  });
}

function literals(values: Iterable<string>): string {
  return [...values].map(literal).join(', ');
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
