/** What is emitted, held against what the registry says of it. */
import type { Attributes } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { type Sampler, SamplingDecision, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { definitionOf } from '../../registry/src/attributes.js';
import {
  type AttributeUse,
  LOG_ATTRIBUTES,
  METRICS,
  pointAttributes,
  SPAN_ATTRIBUTES,
} from '../../registry/src/signals.js';
import type { PaperclipInstrumentation } from '../../src/index.js';
import * as semconv from '../../src/semconv.js';
import { everyReacquire, everyRequest, everything } from '../support/everything.js';
import { MISSING } from '../support/host.js';
import { forgetRunning, TestTelemetry } from '../support/telemetry.js';
import { failing, Host, leaseOf } from '../support/told-host.js';

let telemetry: TestTelemetry;
let instrumentation: PaperclipInstrumentation;
let host: Host;
beforeEach(() => {
  vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs/dup');
  telemetry = new TestTelemetry();
  instrumentation = telemetry.instrument({ leaseInventory: true });
  host = new Host(instrumentation);
});
afterEach(() => {
  instrumentation.disable();
  forgetRunning();
  vi.unstubAllEnvs();
});

const TYPES = { string: 'string', double: 'number', boolean: 'boolean' } as const;

/** What is wrong with the attributes of one span, point or record. */
function problems(attributes: Attributes, uses: readonly AttributeUse[]): string[] {
  const names = uses.map(({ name }) => name);
  const missing = uses.filter(
    ({ name, presence }) => presence === 'always' && attributes[name] === undefined,
  );
  return [
    ...missing.map(({ name }) => `${name} is missing`),
    ...Object.keys(attributes).flatMap((name) => (names.includes(name) ? [] : `${name} is not listed`)),
    ...Object.entries(attributes).flatMap(([name, value]) => {
      const { type, values } = definitionOf(name) ?? {};
      if (values?.every((listed) => listed.value !== value)) return `${name}: ${value} is not listed`;
      const isRight = type === undefined || typeof value === TYPES[type];
      return isRight ? [] : `${name} is no ${type}`;
    }),
  ];
}

/** Of all spans, points or records of one signal: each kind of problem once, and attributes that none has. */
function compare(all: readonly Attributes[], uses: readonly AttributeUse[]) {
  const seen = new Set(all.flatMap(Object.keys));
  return {
    problems: [...new Set(all.flatMap((attributes) => problems(attributes, uses)))],
    unseen: uses.flatMap(({ name }) => (seen.has(name) ? [] : name)),
  };
}

it('points of metrics, where a host does all it can', async () => {
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 2 ** 30,
  });
  const views = [{ instrumentName: '*', aggregationCardinalityLimit: 20_000 }];
  instrumentation.setMeterProvider(new MeterProvider({ readers: [reader], views }));
  await everything(host);
  instrumentation.disable();
  instrumentation.enable();
  // The answer to what this one asks comes with the next.
  await reader.collect();
  const { resourceMetrics } = await reader.collect();
  const emitted = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  const compared = emitted.map(({ descriptor: { name, unit }, dataPoints }) => {
    const metric = METRICS.find((described) => described.name === name);
    if (metric === undefined) return { name };
    const uses = pointAttributes(metric);
    return {
      name,
      unit,
      ...compare(
        dataPoints.map(({ attributes }) => attributes),
        uses,
      ),
    };
  });
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
  const asDescribed = METRICS.map(({ name, unit }) => ({ name, unit, problems: [], unseen: [] }));
  expect(compared.toSorted(byName)).toEqual(asDescribed.toSorted(byName));
});

/** Runs in which each attribute of spans occurs. */
async function everySpan() {
  const acquired = () => ({
    ...leaseOf('plugin_complete', 'e2b'),
    metadata: { sandboxLeaseAcquisition: { outcome: 'created' } },
  });
  await host.call('acquireRunLease', { outcome: acquired }, 'sandbox', 'e2b');
  const lease = { ...leaseOf('plugin_complete', 'e2b'), status: 'active', expiresAt: new Date(0) };
  await host.call('execute', { lease, outcome: () => ({ exitCode: 1, timedOut: true }) }, 'sandbox', 'e2b');
  const released = () => ({ ...lease, status: 'released', cleanupStatus: 'success' });
  await host.call('releaseRunLease', { lease, outcome: released }, 'sandbox', 'e2b');
  const incomplete = leaseOf('plugin_incomplete', 'e2b');
  await host.call('syncIn', { lease: incomplete, outcome: failing(new Error(MISSING)) }, 'sandbox', 'e2b');
  await host.call('syncOut', { lease, outcome: failing(new TypeError('no')) }, 'ssh');
  // biome-ignore lint/suspicious/noThenProperty: what may be lazy is not followed
  instrumentation.instrumentDriver({ execute: () => ({ then() {} }) }).execute();
  await everyReacquire(host);
  await everyRequest(host);
}

it('spans', async () => {
  await everySpan();
  const all = telemetry.spans().map(({ attributes }) => attributes);
  expect(compare(all, SPAN_ATTRIBUTES)).toEqual({ problems: [], unseen: [] });
});

it('exceptions: records and events', async () => {
  await everySpan();
  const records = telemetry.logs().map(({ attributes }) => attributes as Attributes);
  expect(compare(records, LOG_ATTRIBUTES)).toEqual({ problems: [], unseen: [] });
  expect(new Set(telemetry.logs().map(({ eventName }) => eventName))).toEqual(
    new Set([semconv.EVENT_PAPERCLIP_ENVIRONMENT_OPERATION_EXCEPTION]),
  );
  const events = telemetry.spans().flatMap((span) => span.events);
  expect(new Set(events.map(({ name }) => name))).toEqual(new Set([semconv.EVENT_EXCEPTION]));
  const ofEvents = LOG_ATTRIBUTES.slice(0, 3);
  expect(
    compare(
      events.map(({ attributes = {} }) => attributes),
      ofEvents,
    ),
  ).toEqual({ problems: [], unseen: [] });
});

it('what a sampler sees: the attributes that spans have from their start', async () => {
  const seen = new Set<string>();
  const sampler: Sampler = {
    shouldSample(_context, _traceId, _name, _kind, attributes) {
      for (const name of Object.keys(attributes)) seen.add(name);
      return { decision: SamplingDecision.NOT_RECORD };
    },
  };
  instrumentation.setTracerProvider(new TracerProvider({ sampler }));
  await everySpan();
  const atStart = SPAN_ATTRIBUTES.flatMap((use) => (use.atStart ? use.name : []));
  expect([...seen].toSorted()).toEqual(atStart.toSorted());
});
