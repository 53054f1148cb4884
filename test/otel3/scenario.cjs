/**
 * An SDK that is started through the CommonJS build of the API, after the instrumentation was loaded through
 * the ESM build, as a host with a CommonJS set-up does. Prints what arrived.
 */
const { logs, metrics, trace } = require('@opentelemetry/api');
const { LoggerProvider } = require('@opentelemetry/sdk-logs');
const {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} = require('@opentelemetry/sdk-metrics');
const { TracerProvider } = require('@opentelemetry/sdk-trace');

const nothingToFlush = { forceFlush: async () => {}, shutdown: async () => {} };

/** @param {{ PaperclipInstrumentation: new () => { instrumentDriver<T extends object>(driver: T): T } }} esm */
async function main({ PaperclipInstrumentation }) {
  const driver = new PaperclipInstrumentation().instrumentDriver({
    driver: 'sandbox',
    openDuplexChannel: async () => {
      throw new Error('Sandbox driver does not support duplex channels for this lease.');
    },
  });
  await driver.openDuplexChannel().catch(() => {});

  const spans = [];
  const records = [];
  trace.setGlobalTracerProvider(
    new TracerProvider({
      spanProcessors: [{ onStart() {}, onEnd: (span) => spans.push(span), ...nothingToFlush }],
    }),
  );
  logs.setGlobalLoggerProvider(
    new LoggerProvider({ processors: [{ onEmit: (record) => records.push(record), ...nothingToFlush }] }),
  );
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));

  await driver.openDuplexChannel().catch(() => {});
  const { resourceMetrics } = await reader.collect();
  const points = resourceMetrics.scopeMetrics.flatMap((scope) =>
    scope.metrics.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ value }) => [descriptor.name, value.count ?? value]),
    ),
  );
  const report = {
    spans: spans.map(({ name, attributes }) => [name, attributes['error.type']]),
    logs: records.map(({ eventName }) => eventName),
    points,
  };
  process.stdout.write(JSON.stringify(report));
}

import('opentelemetry-instrumentation-paperclip').then(main);
