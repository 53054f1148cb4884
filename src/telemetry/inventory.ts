/** Asks Paperclip's table of leases which are not over, while metrics are collected. */
import type { BatchObservableResult, Meter } from '@opentelemetry/api';
import { attempt, reportFault, sqlStateOf } from '../base/faults.js';
import { isObject } from '../base/values.js';
import { type HeldLeases, inventoryQuery, readInventory } from '../lease/inventory.js';
import {
  METRIC_PAPERCLIP_LEASE_HELD,
  METRIC_PAPERCLIP_LEASE_OLDEST,
  type MetricDefinition,
} from '../semconv.js';
import { type Database, shared } from '../shared.js';
import { Shown } from './shown.js';

const FAULT = 'asking the table of leases failed';

/**
 * Before the query, in the same message: PostgreSQL makes one transaction of both, in which nothing can be written, and which
 * ends with its settings after half a second, or when it has waited for a lock for 0.2 s.
 */
const BOUNDS =
  'set transaction read only; set local statement_timeout = 500; set local lock_timeout = 200;\n';

/** How long an answer may take, with the wait for a connection, until it counts as a fault. */
const PATIENCE_MS = 2000;
/** An answer that is older than this is not reported. It is that old only where nothing was collected meanwhile. */
const STALE_MS = 600_000;

/** SQLSTATE of a table and of a column that are not there. */
const NOT_THERE: ReadonlySet<unknown> = new Set(['42P01', '42703']);

export class LeaseInventory {
  /** @param wanted the known keys of providers where the table is to be asked, else nothing */
  constructor(private readonly wanted: () => ReadonlySet<string> | undefined) {}

  /** Takes the database to ask; the last one counts. What cannot be asked is left alone. */
  use(database: unknown): void {
    const { inventory } = shared;
    if (database === inventory.database || !isDatabase(database)) return;
    inventory.database = database;
    inventory.answer = undefined;
  }

  /**
   * Lets a meter report the leases when it collects. A collection does not wait: it reports the last answer, and asks again once a
   * minute has passed since the last query.
   */
  observe(meter: Meter): void {
    const held = meter.createObservableUpDownCounter(...definition(METRIC_PAPERCLIP_LEASE_HELD));
    const oldest = meter.createObservableGauge(...definition(METRIC_PAPERCLIP_LEASE_OLDEST));
    const shown = new Shown();
    const collect = (result: BatchObservableResult) => {
      if (this.wanted() === undefined) return;
      for (const { attributes, count, oldest: age } of lastAnswer(shown)) {
        result.observe(held, count, attributes);
        result.observe(oldest, age, attributes);
      }
      this.#ask();
    };
    meter.addBatchObservableCallback((result) => attempt(FAULT, () => collect(result)), [held, oldest]);
  }

  /** Asks as soon as it is due, unless that is going on. */
  #ask(): void {
    const { inventory } = shared;
    if (inventory.database === undefined || inventory.isAsked || inventory.timer !== undefined) return;
    const wait = inventory.askedAt + inventory.everyMs - performance.now();
    const ask = () => {
      inventory.timer = undefined;
      const providers = this.wanted();
      if (providers !== undefined) void query(providers);
    };
    if (wait > 0) inventory.timer = setTimeout(ask, wait).unref();
    else ask();
  }
}

/** What the last answer says; nothing where there is none to rely on. Leases that are gone since are none. */
function lastAnswer(shown: Shown): HeldLeases[] {
  const { inventory } = shared;
  const now = performance.now();
  if (inventory.isAsked && now - inventory.askedAt > PATIENCE_MS) {
    inventory.answer = undefined;
    reportFault('the table of leases did not answer in time', new Error());
  }
  if (inventory.answer === undefined || now - inventory.answer.at > STALE_MS) return [];
  const { leases } = inventory.answer;
  const gone = shown.gone(new Map(leases.map(({ attributes }) => [JSON.stringify(attributes), attributes])));
  return [...leases, ...gone.map((attributes) => ({ attributes, count: 0, oldest: 0 }))];
}

/** Never rejects. There is no second query while this one is out, because each may hold a connection of the host's. */
async function query(providers: ReadonlySet<string>): Promise<void> {
  const { inventory } = shared;
  const { database } = inventory;
  inventory.isAsked = true;
  inventory.askedAt = performance.now();
  try {
    const results = await database?.execute(BOUNDS + inventoryQuery(providers));
    // One result for each statement.
    const rows = Array.isArray(results) ? results.at(-1) : undefined;
    if (!Array.isArray(rows)) throw new TypeError('no rows');
    const leases = readInventory(rows);
    if (database === inventory.database) inventory.answer = { at: performance.now(), leases };
  } catch (error) {
    inventory.answer = undefined;
    reportFault(isMissing(error) ? 'the database has no table of leases that can be asked' : FAULT, error);
  } finally {
    inventory.isAsked = false;
  }
}

function definition({ name, unit, description }: MetricDefinition) {
  return [name, { unit, description }] as const;
}

function isDatabase(value: unknown): value is Database {
  return isObject(value) && typeof value.execute === 'function';
}

function isMissing(error: unknown): boolean {
  return NOT_THERE.has(attempt(FAULT, () => sqlStateOf(error)));
}
