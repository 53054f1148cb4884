/** What Paperclip's table of leases is asked, when, and what is reported of the answer. */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HostFunction } from '../../src/base/values.js';
import type { PaperclipInstrumentation, PaperclipInstrumentationConfig } from '../../src/index.js';
import { INVENTORY_TABLES, inventoryQuery } from '../../src/lease/inventory.js';
import { makeService } from '../support/host.js';
import { inventoryRow } from '../support/inventory.js';
import { deferred, forgetRunning, TestTelemetry } from '../support/telemetry.js';

const MINUTE = 60_000;
const HELD = 'paperclip.lease.held';
const OLDEST = 'paperclip.lease.oldest';
const ON: PaperclipInstrumentationConfig = { leaseInventory: true };

/** A database that answers with these rows. */
class Database {
  rows: unknown = [inventoryRow({}, 2, 90)];
  /** What each query waits for. */
  gate: Promise<unknown> = Promise.resolve();
  readonly queries: string[] = [];
  readonly times: number[] = [];

  async execute(query: string): Promise<unknown> {
    this.queries.push(query);
    this.times.push(performance.now());
    await this.gate;
    return [[], [], [], this.rows];
  }
}

let telemetry: TestTelemetry;
let database: Database;
let lines: string[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  forgetRunning();
  telemetry = new TestTelemetry();
  database = new Database();
  lines = [];
  const take = (...said: unknown[]) => void lines.push(said.slice(1).join(' '));
  diag.setLogger({ error: take, warn: take, info: take, debug: take, verbose: take }, DiagLogLevel.WARN);
});
afterEach(() => {
  vi.useRealTimers();
  diag.disable();
});

/** Makes a runtime as Paperclip's server does. */
function serve(instrumentation: unknown, db: unknown = database): void {
  const { instrumenter } = instrumentation as { instrumenter: { factory(original: unknown): HostFunction } };
  instrumenter.factory(makeService)(db, {});
}

function start(
  config: PaperclipInstrumentationConfig = ON,
  db: unknown = database,
): PaperclipInstrumentation {
  const instrumentation = telemetry.instrument(config);
  serve(instrumentation, db);
  return instrumentation;
}

/** Collects, and lets the queries that this began end. Points by the values of their attributes. */
async function collect(of = telemetry): Promise<Record<string, [held: number, oldest: number]>> {
  const { resourceMetrics, errors } = await of.reader.collect();
  expect(errors).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  const points = (name: string) =>
    metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  const ages = points(OLDEST).map(({ value }) => value as number);
  return Object.fromEntries(
    points(HELD).map(({ attributes, value }, index) => [
      Object.values(attributes).join(' '),
      [value as number, ages[index] ?? Number.NaN],
    ]),
  );
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

describe('what is reported', () => {
  it('is what the table said last: how many leases, and the age of the oldest', async () => {
    start();
    database.rows = [
      inventoryRow({}, 2, 90),
      inventoryRow(
        { status: 'pending_cleanup', policy: '_OTHER', provider: '_OTHER', run: 'ended' },
        3,
        7200,
      ),
      inventoryRow({ driver: 'ssh', provider: '', run: 'none' }, 1, 5),
      inventoryRow({ driver: '', provider: '', run: '_OTHER' }, 1, 5),
    ];
    expect(await collect()).toEqual({});
    expect(await collect()).toEqual({
      'active ephemeral sandbox daytona live': [2, 90],
      'pending_cleanup _OTHER sandbox _OTHER ended': [3, 7200],
      'active ephemeral ssh none': [1, 5],
      'active ephemeral _OTHER': [1, 5],
    });
  });

  it('is zero for leases that are gone', async () => {
    start();
    await collect();
    await collect();
    database.rows = [inventoryRow({ run: 'ended' })];
    await pass(MINUTE);
    await collect();
    expect(await collect()).toEqual({
      'active ephemeral sandbox daytona live': [0, 0],
      'active ephemeral sandbox daytona ended': [1, 60],
    });
  });

  it('is nothing where the answer is of long ago', async () => {
    start();
    await collect();
    await pass(11 * MINUTE);
    expect(await collect()).toEqual({});
    expect(await collect()).toEqual({ 'active ephemeral sandbox daytona live': [2, 90] });
  });

  it('is there with the second collection, also where no operation has run and the meter came late', async () => {
    const instrumentation = telemetry.instrument(ON);
    serve(instrumentation);
    const later = new TestTelemetry();
    later.attach(instrumentation);
    serve(instrumentation);
    await collect(later);
    expect(await collect(later)).toEqual({ 'active ephemeral sandbox daytona live': [2, 90] });
  });
});

describe('the table is asked', () => {
  it.each([1000, 15_000, 59_999, MINUTE])(
    'once a minute, where metrics are collected every %i ms',
    async (interval) => {
      start();
      for (let passed = 0; passed < 9.9 * MINUTE; passed += interval) {
        await collect();
        await pass(interval);
      }
      const gaps = database.times.slice(1).map((time, index) => time - (database.times[index] ?? 0));
      expect(gaps.length).toBeGreaterThanOrEqual(9);
      expect(new Set(gaps)).toEqual(new Set([MINUTE]));
    },
  );

  it('once for each collection that is more than a minute after the last', async () => {
    start();
    for (let count = 0; count < 3; count += 1) {
      await collect();
      await pass(5 * MINUTE);
    }
    expect(database.queries).toHaveLength(3);
  });

  it('once for all instances, copies and meters of the process, and all runtimes with this database', async () => {
    const one = start();
    start();
    serve(one);
    vi.resetModules();
    const copy = await import('../../src/index.js');
    const another = new copy.PaperclipInstrumentation(ON);
    const other = new TestTelemetry();
    other.attach(another as never);
    serve(another);
    for (let count = 0; count < 3; count += 1) {
      await collect();
      await collect(other);
    }
    expect(database.queries).toHaveLength(1);
    expect(await collect(other)).toEqual(await collect());
    expect(await collect()).toEqual({ 'active ephemeral sandbox daytona live': [2, 90] });
  });

  it('with a query that can only read, within half a second, in one message', async () => {
    start({ ...ON, providers: ["o'brien".replace("'", '.')] });
    await collect();
    expect(database.queries).toEqual([
      'set transaction read only; set local statement_timeout = 500; set local lock_timeout = 200;\n' +
        inventoryQuery([
          'daytona',
          'kubernetes',
          'e2b',
          'cloudflare',
          'exe-dev',
          'modal',
          'novita',
          'createos',
          'o.brien',
        ]),
    ]);
  });

  it.each([
    ['is off by default', {}, true],
    ['while nothing is collected', ON, false],
  ])('never: %s', async (_why, config, isCollected) => {
    start(config);
    for (let count = 0; count < 3; count += 1) {
      if (isCollected) expect(await collect()).toEqual({});
      await pass(MINUTE);
    }
    expect(database.queries).toEqual([]);
  });

  it('never after the instance was disabled, not even where the next query was due', async () => {
    const instrumentation = start();
    await collect();
    await pass(1000);
    await collect();
    instrumentation.disable();
    await pass(MINUTE);
    await collect();
    await pass(MINUTE);
    expect(database.queries).toHaveLength(1);
    instrumentation.enable();
    await collect();
    expect(database.queries).toHaveLength(2);
  });

  it.each([null, {}, { execute: true }, 'db', () => {}])(
    'never through what is no database: %o',
    async (db) => {
      start(ON, db);
      await collect();
      expect(await collect()).toEqual({});
      expect(lines).toEqual([]);
    },
  );

  it('through the last database that the host gave', async () => {
    const instrumentation = start();
    await collect();
    const next = new Database();
    next.rows = [inventoryRow({ run: 'ended' })];
    serve(instrumentation, next);
    await pass(MINUTE);
    expect(await collect()).toEqual({});
    expect(await collect()).toEqual({ 'active ephemeral sandbox daytona ended': [1, 60] });
    expect([database.queries.length, next.queries.length]).toEqual([1, 1]);
  });
});

describe('a database that', () => {
  const failed = (code?: string) => () =>
    Promise.reject(Object.assign(new Error('Failed query'), { cause: { code } }));
  it.each<[string, () => unknown, string]>([
    ['fails', failed('57014'), 'asking the table of leases failed (Error 57014)'],
    [
      'throws at once',
      () => {
        throw new TypeError('no');
      },
      'asking the table of leases failed (TypeError)',
    ],
    [
      'has no such table',
      failed('42P01'),
      'the database has no table of leases that can be asked (Error 42P01)',
    ],
    [
      'has no such column',
      failed('42703'),
      'the database has no table of leases that can be asked (Error 42703)',
    ],
    [
      'answers with something else',
      () => Promise.resolve({ rows: [] }),
      'asking the table of leases failed (TypeError)',
    ],
    [
      'answers with other rows',
      () => Promise.resolve([[], [{ count: 1 }]]),
      'asking the table of leases failed (TypeError)',
    ],
    [
      'rejects with what cannot be read',
      () =>
        Promise.reject({
          get cause() {
            throw new Error('unreadable');
          },
        }),
      'asking the table of leases failed (Error)',
    ],
  ])(
    '%s is one diagnostic and no points, and is asked again a minute later',
    async (_what, execute, line) => {
      vi.resetModules();
      const { PaperclipInstrumentation } = await import('../../src/index.js');
      const instrumentation = new PaperclipInstrumentation(ON);
      telemetry.attach(instrumentation);
      let queries = 0;
      serve(instrumentation, {
        execute: () => {
          queries += 1;
          return execute();
        },
      });
      for (let count = 0; count < 3; count += 1) {
        expect(await collect()).toEqual({});
        await pass(MINUTE);
      }
      expect(queries).toBe(3);
      expect(lines.filter((each) => each.includes('table of leases'))).toEqual([
        `${line}; the operation itself is not affected. Reported once.`,
      ]);
    },
  );

  it('does not answer never slows a collection, is one diagnostic, and gets no second query', async () => {
    vi.resetModules();
    const { PaperclipInstrumentation } = await import('../../src/index.js');
    const instrumentation = new PaperclipInstrumentation(ON);
    telemetry.attach(instrumentation);
    const gate = deferred<void>();
    database.gate = gate.promise;
    serve(instrumentation);
    for (let count = 0; count < 5; count += 1) {
      expect(await collect()).toEqual({});
      await pass(MINUTE);
    }
    expect(database.queries).toHaveLength(1);
    expect(lines).toEqual([
      'the table of leases did not answer in time (Error); the operation itself is not affected. Reported once.',
    ]);
    gate.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await collect()).toEqual({ 'active ephemeral sandbox daytona live': [2, 90] });
    await pass(MINUTE);
    expect(database.queries).toHaveLength(2);
  });
});

it('the query reads the columns that a role needs, and no others', () => {
  const query = inventoryQuery(['daytona']);
  const read = (alias: string) =>
    new Set([...query.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g'))].map(([, column]) => column));
  expect(read('l')).toEqual(new Set(INVENTORY_TABLES.environment_leases));
  expect(read('r')).toEqual(new Set(INVENTORY_TABLES.heartbeat_runs));
});
