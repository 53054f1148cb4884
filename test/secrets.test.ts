import { userInfo } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../src/operations/table.js';
import { openCollector } from './support/collector.js';
import { TestTelemetry } from './support/telemetry.js';
import { runNode, START, tree } from './support/tree.js';

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

describe('the resource of ./start', () => {
  /** Names in everything that the SDK's detectors may read: folder, program, options, arguments, title, user. */
  async function exported(env: Record<string, string>) {
    const collector = await openCollector();
    const host = import.meta.resolve('./start/host.mjs');
    const folder = marker();
    const root = tree({
      [`${folder}/package.json`]: { name: '@paperclipai/server' },
      [`${folder}/index.mjs`]: `import ${JSON.stringify(host)};`,
    });
    const program = join(root, folder, 'index.mjs');
    const options = [
      `--title=${marker()}`,
      '--import',
      pathToFileURL(START).href,
      `--conditions=${marker()}`,
    ];
    const args = [...options, program, 'nothing left to do', `--token=${marker()}`];
    const variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    };
    await runNode(args, { cwd: root, env: { PAPERCLIP_HOME: `/${marker()}`, ...variables, ...env } });
    collector.close();
    const [resource = '{}', ...others] = collector.resources;
    expect(others).toEqual([]);
    return JSON.parse(resource) as Record<string, unknown>;
  }

  it.each(['', ' '])('tells no argument, path or user, where the detectors are %j', async (detectors) => {
    const resource = await exported({ OTEL_NODE_RESOURCE_DETECTORS: detectors });
    expect(Object.keys(resource)).toEqual(expect.arrayContaining(['service.instance.id', 'host.name']));
    const known =
      /^(?:service\.(?:name|instance\.id)|telemetry\.sdk\.(?:language|name|version)|host\.(?:name|arch|id)|os\.(?:type|version))$/;
    expect(Object.keys(resource).filter((name) => !known.test(name))).toEqual([]);
    expect(Object.values(resource)).not.toContain(userInfo().username);
    expect(JSON.stringify(resource)).not.toContain('LEAK-');
    expect(JSON.stringify(resource)).not.toContain(process.execPath);
  });

  it('tells them where the operator asks for the detector of the process', async () => {
    const resource = await exported({ OTEL_NODE_RESOURCE_DETECTORS: 'process' });
    expect(JSON.stringify(resource['process.command_args'])).toContain('LEAK-');
  });
});

describe('the lines that a preload prints, with all diagnostics and a collector that refuses', () => {
  it.each(['start', 'register'])(
    './%s: no argument, header, or part of a URL that may be a token',
    async (entry) => {
      const host = import.meta.resolve('./start/host.mjs');
      const root = tree({
        'package.json': { name: '@paperclipai/server' },
        'index.mjs': `import ${JSON.stringify(host)};`,
      });
      const preload = pathToFileURL(START).href.replace('start.js', `${entry}.js`);
      const { stdout, stderr } = await runNode(
        ['--import', preload, join(root, 'index.mjs'), 'nothing left to do', `--token=${marker()}`],
        {
          env: {
            OTEL_LOG_LEVEL: 'all',
            OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${marker()}`,
            OTEL_EXPORTER_OTLP_ENDPOINT: `http://${marker()}:${marker()}@127.0.0.1:1/${marker()}?key=${marker()}`,
            OTEL_EXPORTER_OTLP_TIMEOUT: '500',
          },
        },
      );
      if (entry === 'start') expect(stderr).toContain('ECONNREFUSED');
      expect(stdout).toBe('exit 0\n');
      expect(stderr).not.toContain('LEAK-');
    },
  );
});
