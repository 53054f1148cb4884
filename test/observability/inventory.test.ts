import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { nameOverOtlp } from '../../observability/src/names.js';
import { METRIC_PAPERCLIP_LEASE_HELD, METRIC_PAPERCLIP_LEASE_OLDEST } from '../../src/semconv.js';

const FOLDER = 'observability/generated/lease-inventory';
const read = (name: string) => parse(readFileSync(`${FOLDER}/${name}`, 'utf8'));

/** What `internal/sqlquery/config.go` of opentelemetry-collector-contrib knows, from its version 0.120 on. */
const QUERY_FIELDS = ['sql', 'metrics', 'logs', 'tracking_column', 'tracking_start_value'];
const METRIC_FIELDS = [
  'metric_name',
  'value_column',
  'attribute_columns',
  'monotonic',
  'value_type',
  'data_type',
  'aggregation',
  'unit',
  'description',
  'static_attributes',
  'start_ts_column',
  'ts_column',
];

it.each([
  [METRIC_PAPERCLIP_LEASE_HELD, 'paperclip_lease_held'],
  [METRIC_PAPERCLIP_LEASE_OLDEST, 'paperclip_lease_oldest_seconds'],
])('$0.name has its name in Prometheus over OTLP', (metric, name) => {
  expect(nameOverOtlp(metric)).toBe(name);
});

it("the Collector's receiver has the metrics of the conventions, and options that it documents", () => {
  const [receiver] = Object.values(read('collector.yaml').receivers) as [
    { driver: string; collection_interval: string; queries: Record<string, never>[] },
  ];
  expect(receiver).toMatchObject({ driver: 'postgres', collection_interval: '60s' });
  expect(Object.keys(receiver).sort()).toEqual(['collection_interval', 'datasource', 'driver', 'queries']);
  const [query] = receiver.queries as unknown as [{ sql: string; metrics: Record<string, unknown>[] }];
  expect(Object.keys(query).filter((name) => !QUERY_FIELDS.includes(name))).toEqual([]);
  const metrics = [METRIC_PAPERCLIP_LEASE_HELD, METRIC_PAPERCLIP_LEASE_OLDEST].map(
    ({ name, unit, attributes }) => ({ metric_name: name, unit, attribute_columns: attributes }),
  );
  expect(query.metrics).toMatchObject(metrics);
  for (const metric of query.metrics) {
    expect(Object.keys(metric).filter((name) => !METRIC_FIELDS.includes(name))).toEqual([]);
    // It refuses an aggregation of a gauge.
    expect(metric.data_type === 'gauge').toBe(metric.aggregation === undefined);
    for (const column of metric.attribute_columns as string[]) expect(query.sql).toContain(`as "${column}"`);
  }
});
