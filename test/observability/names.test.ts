import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { expect, it } from 'vitest';
import type * as semconv from '../../src/semconv.js';
import { METRICS, patternsOf } from './support.js';

class Reader extends MetricReader {
  protected override async onForceFlush() {}
  protected override async onShutdown() {}
}

it('the patterns match what the exporter for scraping makes of the names', async () => {
  const reader = new Reader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
  for (const { name, instrument, unit } of METRICS) {
    if (instrument === 'histogram') meter.createHistogram(name, { unit }).record(1);
    else if (instrument === 'counter') meter.createCounter(name, { unit }).add(1);
    else meter.createUpDownCounter(name, { unit }).add(1);
  }
  const { resourceMetrics } = await reader.collect();
  const exported = new PrometheusSerializer().serialize(resourceMetrics);
  const names = new Set(exported.match(/^paperclip_\w+/gm));
  const patterns = METRICS.flatMap(regexpsOf);
  expect([...names].filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([]);
  expect(patterns.filter((pattern) => ![...names].some((name) => pattern.test(name)))).toEqual([]);
});

it.each([
  ['paperclip.environment.operation.duration', 'paperclip_environment_operation_duration_seconds_bucket'],
  ['paperclip.duplex.channel.io', 'paperclip_duplex_channel_io_bytes_total'],
  ['paperclip.duplex.channel.io', 'paperclip_duplex_channel_io_total'],
  ['paperclip.duplex.channel.io', 'paperclip_duplex_channel_io'],
  ['paperclip.duplex.requests', 'paperclip_duplex_requests_total'],
  ['paperclip.duplex.requests', 'paperclip_duplex_requests'],
  ['paperclip.environment.operation.active', 'paperclip_environment_operation_active'],
])('%s is found as %s', (name, exported) => {
  const found = METRICS.filter((metric) => regexpsOf(metric).some((pattern) => pattern.test(exported)));
  expect(found.map((metric) => metric.name)).toEqual([name]);
});

function regexpsOf(metric: semconv.MetricDefinition): RegExp[] {
  return patternsOf(metric).map((pattern) => new RegExp(`^${pattern}$`));
}
