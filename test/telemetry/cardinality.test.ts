import { readFileSync } from 'node:fs';
import {
  AggregationTemporality,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricReader,
  PeriodicExportingMetricReader,
  type ViewOptions,
} from '@opentelemetry/sdk-metrics';
import { AlwaysOffSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterEach, describe, expect, it } from 'vitest';
import { PaperclipInstrumentation, type PaperclipInstrumentationConfig } from '../../src/index.js';
import {
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE as ACTIVE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION as DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES as REACQUIRES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS as REQUESTS,
} from '../../src/semconv.js';
import { boundsOf, DEFAULT_SIZES, METRICS, pointsOf, prometheusSeriesOf } from '../support/cardinality.js';
import { everything, unheardOfRun } from '../support/everything.js';
import { MISSING, UNSUPPORTED } from '../support/host.js';
import { runs } from '../support/runs.js';
import { forgetRunning } from '../support/telemetry.js';
import { failing, Host, leaseOf } from '../support/told-host.js';

let instrumentation: PaperclipInstrumentation | undefined;
afterEach(() => {
  instrumentation?.disable();
  forgetRunning();
});

function observe(views: ViewOptions[] = [], config: PaperclipInstrumentationConfig = {}) {
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 2 ** 30,
  });
  const observing = new PaperclipInstrumentation(config);
  observing.setMeterProvider(new MeterProvider({ readers: [reader], views }));
  instrumentation = observing;
  return { instrumentation: observing, host: new Host(observing), reader };
}

describe('the number of points of each metric', () => {
  it('is exactly its bound where a host does all it can, under new names at each call', async () => {
    const { instrumentation, host, reader } = observe(
      [{ instrumentName: DURATION.name, aggregationCardinalityLimit: 20_000 }],
      { leaseInventory: true },
    );
    await everything(host);
    instrumentation.disable();
    instrumentation.enable();
    // The answer to what this one asks comes with the next.
    await reader.collect();
    expect(await pointsOf(reader)).toEqual(boundsOf(DEFAULT_SIZES));
  });

  it('stays the same over many companies, environments, leases, owners, drivers and providers', async () => {
    const { instrumentation, host, reader } = observe();
    for (let run = runs(10_000); run > 0; run -= 1) await unheardOfRun(host);
    instrumentation.disable();
    expect(await pointsOf(reader)).toEqual({
      'paperclip.environment.operation.duration': 6,
      'paperclip.environment.operation.active': 5,
      'paperclip.lease.duration': 1,
      'paperclip.duplex.requests': 3,
      'paperclip.lease.reacquires': 1,
      'paperclip.lease.reacquire.duration': 1,
      'paperclip.duplex.channel.active': 1,
      'paperclip.duplex.channel.duration': 1,
      'paperclip.duplex.channel.io': 1,
      'paperclip.duplex.losses': 1,
      'paperclip.duplex.session_leaks': 1,
      'paperclip.duplex.forward.duration': 1,
    });
  });

  it('grows by 32 codes and class names, whatever the host throws, and by every tag', async () => {
    const { host, reader } = observe();
    const call = (error: unknown) => host.call('execute', { outcome: failing(error) }, 'sandbox', 'e2b');
    for (let number = runs(10_000); number > 0; number -= 1) {
      await call(Object.assign(new Error('code'), { code: `E_${number}` }));
      const Named = Object.defineProperty(class {}, 'name', { value: `Error${number}` });
      await call(new Named());
    }
    for (const message of [UNSUPPORTED, MISSING]) await call(new Error(message));
    expect(await pointsOf(reader)).toMatchObject({ [DURATION.name]: 32 + 1 + 2 });
  });

  it('is what the table of the conventions says', () => {
    const conventions = readFileSync(new URL('../../docs/semantic-conventions.md', import.meta.url), 'utf8');
    const [, section = ''] = conventions.split('### Cardinality\n');
    const rows = section.matchAll(/^\| `([\w.]+)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| (\d+) \|$/gm);
    const written = [...rows].map(([, name, ...numbers]) => [
      name,
      ...numbers.map((number) => Number(number?.replaceAll(',', ''))),
    ]);
    const { providers, errorTypes } = DEFAULT_SIZES;
    const bounds = boundsOf(DEFAULT_SIZES);
    const withProvider = boundsOf({ providers: providers + 1, errorTypes });
    const withErrorType = boundsOf({ providers, errorTypes: errorTypes + 1 });
    expect(written).toEqual(
      METRICS.map((metric) => {
        const { name } = metric;
        const bound = bounds[name] ?? 0;
        return [
          name,
          bound,
          (withProvider[name] ?? 0) - bound,
          (withErrorType[name] ?? 0) - bound,
          prometheusSeriesOf(metric),
        ];
      }),
    );
  });
});

describe('what lowers the cost', () => {
  it('a sampler that keeps no span leaves every count as it is', async () => {
    const { instrumentation, host, reader } = observe();
    instrumentation.setTracerProvider(new TracerProvider({ sampler: new AlwaysOffSampler() }));
    for (let run = 0; run < 100; run += 1) await unheardOfRun(host);
    instrumentation.disable();
    const counts = await countsOf(reader);
    expect(counts[DURATION.name]).toEqual([100, 100, 100, 100, 100, 100]);
    expect(counts[REQUESTS.name]).toEqual([100, 100, 100]);
    expect(counts[REACQUIRES.name]).toEqual([100]);
  });

  it('the views of the page leave out buckets, an attribute and a metric', async () => {
    const page = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');
    const file = new URL('../../bench/cost/views.mjs', import.meta.url);
    const [, code] = readFileSync(file, 'utf8').split('// @ts-check\n');
    expect(page).toContain(`\`\`\`js\n${code}\`\`\``);

    const { views } = await import(file.href);
    const { host, reader } = observe(views);
    for (const shape of ['plugin_complete', 'plugin_incomplete', 'non_plugin'] as const) {
      const lease = leaseOf(shape, 'e2b');
      await host.call('execute', { lease, outcome: () => undefined }, 'sandbox', 'e2b');
    }
    host.createFacade('e2b').recordRequest?.({ latencyMs: 1, outcome: 'ok' });
    expect(await pointsOf(reader)).toEqual({ [DURATION.name]: 1, [ACTIVE.name]: 1 });
    expect(await boundariesOf(reader, DURATION.name)).toEqual([0.1, 1, 10, 60]);
  });
});

async function boundariesOf(reader: MetricReader, name: string): Promise<number[] | undefined> {
  const { resourceMetrics } = await reader.collect();
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  const [point] = metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  return (point?.value as Histogram | undefined)?.buckets.boundaries;
}

/** How many values were counted by each point of a metric, by its name. */
async function countsOf(reader: MetricReader): Promise<Record<string, number[]>> {
  const { resourceMetrics } = await reader.collect();
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  return Object.fromEntries(
    metrics.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.map(({ value }) => (typeof value === 'number' ? value : (value as Histogram).count)),
    ]),
  );
}
