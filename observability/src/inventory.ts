/**
 * The stock of leases, asked for from beside the server: for those who let nothing in the server query. Everything here is made from
 * the one query in `src/lease/inventory.ts`.
 */
import { stringify } from 'yaml';
import {
  HELD_COLUMN,
  INVENTORY_TABLES,
  inventoryColumn,
  inventoryQuery,
  OLDEST_COLUMN,
} from '../../src/lease/inventory.js';
import {
  METRIC_PAPERCLIP_LEASE_HELD,
  METRIC_PAPERCLIP_LEASE_OLDEST,
  type MetricDefinition,
  PROVIDERS,
} from '../../src/semconv.js';
import { INSTANCE, JOB, nameOverOtlp } from './names.js';

/** The role in Paperclip's database. */
export const ROLE = 'paperclip_metrics';
/** How long the query and its wait for a lock may take, in milliseconds: the same as in the server. */
const LIMITS = { statement_timeout: 500, lock_timeout: 200 };

/** A query each minute, as in the server. */
const INTERVAL = '60s';
const QUERY = inventoryQuery(PROVIDERS);
const ATTRIBUTES = METRIC_PAPERCLIP_LEASE_HELD.attributes;
/** The metrics by the column of the result that has their value. */
const METRICS: readonly (readonly [column: string, metric: MetricDefinition])[] = [
  [HELD_COLUMN, METRIC_PAPERCLIP_LEASE_HELD],
  [OLDEST_COLUMN, METRIC_PAPERCLIP_LEASE_OLDEST],
];

/** The variables that say where the database is, in the form that each program wants. */
const URL_VARIABLE = 'PAPERCLIP_METRICS_DATABASE_URL';
const DATASOURCE_VARIABLE = 'PAPERCLIP_METRICS_DATASOURCE';

/** The name that the servers' metrics have for `job`, and what stands for `instance`: it is the database that is asked. */
const SERVICE = 'paperclip';
const DATABASE = 'database';

/** A role that may read what the query needs, and nothing else of Paperclip's. */
export function roleSql(): string {
  const grants = Object.entries(INVENTORY_TABLES).map(
    ([table, columns]) => `grant select (${columns.join(', ')}) on public.${table} to ${ROLE};`,
  );
  return [
    `-- A role for Paperclip's database that may count leases, and read nothing else. Run it as the owner of the tables:`,
    `--   psql <Paperclip's database> -f role.sql`,
    `-- and then give the role a password, in psql: \\password ${ROLE}`,
    `create role ${ROLE} login connection limit 2;`,
    `alter role ${ROLE} set default_transaction_read_only = on;`,
    ...Object.entries(LIMITS).map(([setting, ms]) => `alter role ${ROLE} set ${setting} = ${ms};`),
    `grant usage on schema public to ${ROLE};`,
    ...grants,
    '',
  ].join('\n');
}

/** For Prometheus' `sql_exporter`. */
export function sqlExporter(): string {
  const query = {
    name: SERIES.replace(/^sql_/, ''),
    help: 'Leases that are not over, and the age of the oldest.',
    allow_zero_rows: true,
    labels: ATTRIBUTES.map(inventoryColumn),
    values: METRICS.map(([column]) => column),
    query: `${QUERY}\n`,
  };
  return stringify(
    {
      jobs: [{ name: SERVICE, interval: INTERVAL, connections: [`{{${URL_VARIABLE}}}`], queries: [query] }],
    },
    { lineWidth: 0 },
  );
}

/** The name that it gives to both values, which only the label `col` tells apart. */
const SERIES = 'sql_paperclip_lease';

/** Where Prometheus scrapes it, and how its series become those of the conventions. */
export function sqlExporterScrape(target: string) {
  const renamed = METRICS.map(([column, metric]) => ({
    source_labels: ['__name__', 'col'],
    regex: `${SERIES};${column}`,
    target_label: '__name__',
    replacement: nameOverOtlp(metric),
  }));
  return {
    job_name: 'paperclip-database',
    scrape_interval: '1m',
    static_configs: [{ targets: [target] }],
    metric_relabel_configs: [
      ...renamed,
      // Of the metrics alone: `up` of this scrape is not that of the servers.
      ...[
        [JOB, SERVICE],
        [INSTANCE, DATABASE],
      ].map(([label, value]) => ({
        source_labels: ['__name__'],
        regex: METRICS.map(([, metric]) => nameOverOtlp(metric)).join('|'),
        target_label: label,
        replacement: value,
      })),
      { regex: 'col|driver|user|sql_job', action: 'labeldrop' },
    ],
  };
}

export function prometheusScrape(): string {
  return stringify({ scrape_configs: [sqlExporterScrape('127.0.0.1:9237')] }, { lineWidth: 0 });
}

/** For the Collector, beside its own configuration: a receiver `sqlquery` and a pipeline into the exporter `prometheus`. */
export function collector(): string {
  // It takes the name of an attribute from that of the column.
  const columns = ATTRIBUTES.map((attribute) => `${inventoryColumn(attribute)} as "${attribute}"`);
  const sql = `select ${columns.join(', ')}, ${HELD_COLUMN}, ${OLDEST_COLUMN}\nfrom (\n${QUERY}\n) as leases\n`;
  const metrics = METRICS.map(([column, { name, description, unit, instrument }]) => ({
    metric_name: name,
    description,
    unit,
    value_column: column,
    value_type: instrument === 'gauge' ? 'double' : 'int',
    ...(instrument === 'gauge'
      ? { data_type: 'gauge' }
      : { data_type: 'sum', monotonic: false, aggregation: 'cumulative' }),
    attribute_columns: [...ATTRIBUTES],
  }));
  const datasource = `host=127.0.0.1 port=54329 dbname=paperclip user=${ROLE} sslmode=disable`;
  const of = 'paperclip_leases';
  const receiver = `sqlquery/${of}`;
  const resource = `resource/${of}`;
  return stringify(
    {
      receivers: {
        [receiver]: {
          driver: 'postgres',
          datasource: `\${env:${DATASOURCE_VARIABLE}:-${datasource}}`,
          collection_interval: INTERVAL,
          queries: [{ sql, metrics }],
        },
      },
      processors: {
        [resource]: {
          attributes: [
            { key: 'service.name', value: SERVICE, action: 'upsert' },
            { key: 'service.instance.id', value: DATABASE, action: 'upsert' },
          ],
        },
      },
      service: {
        pipelines: {
          [`metrics/${of}`]: { receivers: [receiver], processors: [resource], exporters: ['prometheus'] },
        },
      },
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}
