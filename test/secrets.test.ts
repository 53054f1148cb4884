import { DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../src/operations/table.js';
import { TestTelemetry } from './support/telemetry.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

let markers = 0;
/** A value that must not be found in anything exported. */
function marker(): string {
  markers += 1;
  return `LEAK-${markers}-`;
}

function leaseWithMarkers(plugin: unknown) {
  return {
    id: 'lease-1',
    status: 'active',
    leasePolicy: marker(),
    providerLeaseId: marker(),
    failureReason: marker(),
    acquiredAt: new Date(),
    metadata: {
      sandboxProviderPlugin: plugin,
      pluginId: marker(),
      provider: marker(),
      remoteCwd: marker(),
      agentId: marker(),
      sandboxLeaseAcquisition: { outcome: marker(), other: marker() },
    },
  };
}

function inputWithMarkers(plugin: unknown) {
  return {
    environment: {
      id: 'env-1',
      name: marker(),
      driver: marker(),
      status: marker(),
      config: { provider: marker(), apiKey: marker() },
      envVars: { TOKEN: marker() },
      metadata: { note: marker() },
    },
    lease: leaseWithMarkers(plugin),
    command: marker(),
    args: [marker()],
    env: { SECRET: marker() },
    cwd: marker(),
    stdin: marker(),
    status: marker(),
    failureReason: marker(),
    workspace: { localPath: marker(), remotePath: marker() },
    operations: [{ sourcePath: marker(), targetPath: marker() }],
    path: marker(),
  };
}

function errorWithMarkers(): Error {
  const cause = Object.assign(new Error(marker()), { code: `lower-${marker()}` });
  const error = new Error(`${marker()} Sandbox driver does not support duplex channels for this lease.`, {
    cause,
  });
  return Object.assign(error, { name: marker(), detail: marker() });
}

it('nothing secret leaves, whatever an operation is given, returns or throws', async () => {
  vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs/dup');
  const diagnostics: unknown[] = [];
  const log = (...parts: unknown[]) => diagnostics.push(parts);
  const logger = { error: log, warn: log, info: log, debug: log, verbose: log };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true });
  const telemetry = new TestTelemetry();
  const instrumentation = telemetry.instrument();

  const outcomes: (() => unknown)[] = [
    async () => ({ ...leaseWithMarkers(true), exitCode: 1, stdout: marker(), stderr: marker() }),
    async () => {
      throw errorWithMarkers();
    },
    () => {
      throw errorWithMarkers();
    },
    () => Promise.reject(marker()),
    () => ({
      get lease() {
        throw errorWithMarkers();
      },
    }),
  ];
  let calls = 0;
  for (const level of ['service', 'driver'] as const) {
    for (const outcome of outcomes) {
      const methods = OPERATIONS.flatMap(({ method }) => method[level] ?? []);
      const target = Object.fromEntries(methods.map((method) => [method, outcome]));
      const subject: Record<string, unknown> = { driver: marker(), ...target };
      if (level === 'service') instrumentation.instrumentRuntime(subject);
      else instrumentation.instrumentDriver(subject);
      for (const method of methods) {
        for (const plugin of [undefined, true]) {
          calls += 1;
          await Promise.resolve()
            .then(() => (subject[method] as (input: object) => unknown)(inputWithMarkers(plugin)))
            .catch(() => {});
        }
      }
    }
  }

  const spans = telemetry.spans().map(({ name, attributes, events, status, links }) => ({
    name,
    attributes,
    events,
    status,
    links,
  }));
  const logs = telemetry.logs().map(({ body, attributes, eventName }) => ({ body, attributes, eventName }));
  const { resourceMetrics } = await telemetry.reader.collect();
  expect(spans, 'one span for each call').toHaveLength(calls);
  expect(logs.length).toBeGreaterThan(100);
  expect(JSON.stringify({ spans, logs, metrics: resourceMetrics.scopeMetrics, diagnostics })).not.toContain(
    'LEAK-',
  );
});
