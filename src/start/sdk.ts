/** Starts OpenTelemetry's NodeSDK, which reads the `OTEL_*` variables itself. */
import { Console } from 'node:console';
import { createRequire } from 'node:module';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import type * as NodeSdkModule from '@opentelemetry/sdk-node';
import type { NodeSDKConfiguration } from '@opentelemetry/sdk-node';
import { packageOf } from '../attach/identity.js';
import { cluster, serverOf } from '../attach/server.js';
import { isLine3 } from '../attach/support.js';
import { hasDiagLogger, type Signal, servedSignals } from '../base/api.js';
import { warnOperator } from '../base/faults.js';
import { inWords } from '../base/text.js';
import { DEFAULT_SERVICE_NAME, serverPackages, wantedSignals } from '../config.js';
import { flushProviders } from '../telemetry/flush.js';
import { flushAtTheEnd } from './ending.js';
import { placeOf } from './place.js';

const require = createRequire(import.meta.url);

/** How many milliseconds the end of the process waits for the last export. */
const FLUSH_LIMIT = 5_000;
/** The same after a fatal error, when the host should not run on for long. */
const FATAL_FLUSH_LIMIT = 1_000;
/** How many milliseconds after a signal it waits no more: Docker kills a container after ten seconds. */
const SIGNAL_LIMIT = 8_000;

/**
 * Starts an SDK for all signals that nobody serves, if this package emits one of them. A failure is logged as a warning and
 * does not stop the server.
 */
export async function startSdk(): Promise<void> {
  if (isServed()) return;
  try {
    const { NodeSDK } = await load();
    if (isServed()) return;
    const served = servedSignals();
    if (served.length > 0) warnOfOther(served, 'one for the other signals is started beside it');
    const options = { ...resource(), ...without(served) };
    const sdk = withDiagnostics(() => new NodeSDK(options));
    warnOfAddress(sdk);
    flushAtTheEnd({
      flush: flushProviders,
      shutdown: () => sdk.shutdown(),
      limit: FLUSH_LIMIT,
      signalLimit: SIGNAL_LIMIT,
      fatalLimit: FATAL_FLUSH_LIMIT,
    });
    sdk.start();
  } catch (error) {
    warnOperator(`attached, but the SDK is not started, or not all of it: ${explain(error)}`);
  }
}

/** Whether somebody serves all signals that this package emits. Says so. */
function isServed(): boolean {
  const served = servedSignals();
  if (served.length === 0 || !wantedSignals(process.env).every((signal) => served.includes(signal)))
    return false;
  warnOfOther(served, 'no other is started');
  return true;
}

function warnOfOther(served: readonly Signal[], consequence: string): void {
  warnOperator(
    `an OpenTelemetry SDK for ${inWords(served)} is registered already: it is used, and ${consequence}`,
  );
}

/**
 * Loads 2.x at once: Paperclip starts an SDK of its own as soon as its modules are loaded, and the first one counts. 3.x is imported,
 * because its other build does not serve what the host got early from the API's build for imports.
 */
function load(): typeof NodeSdkModule | Promise<typeof NodeSdkModule> {
  const path = require.resolve('@opentelemetry/sdk-node');
  return isLine3(packageOf(path) ?? {}) ? import('@opentelemetry/sdk-node') : require(path);
}

/**
 * Makes a `NodeSDK`, whose constructor reads `OTEL_LOG_LEVEL` and has diagnostics printed to the standard output, which another
 * program may parse. Here they go to the standard error, or stay with the logger that the host has set.
 */
function withDiagnostics<T>(make: () => T): T {
  const { OTEL_LOG_LEVEL: name } = process.env;
  if (!name?.trim()) return make();
  if (!hasDiagLogger()) {
    const level: unknown = DiagLogLevel[name.trim().toUpperCase() as keyof typeof DiagLogLevel];
    const { error, warn, info, debug } = new Console(process.stderr);
    const logLevel = typeof level === 'number' ? level : DiagLogLevel.INFO;
    diag.setLogger({ error, warn, info, debug, verbose: debug }, { logLevel });
  }
  delete process.env.OTEL_LOG_LEVEL;
  try {
    return make();
  } finally {
    process.env.OTEL_LOG_LEVEL = name;
  }
}

/** The exporter for Prometheus reports an address that it cannot have through `diag` only, where there is no logger by default. */
function warnOfAddress(sdk: object): void {
  const { _meterProviderConfig: config } = sdk as { _meterProviderConfig?: { readers?: PrometheusReader[] } };
  for (const reader of config?.readers ?? []) {
    // Its server has been started: this is the same promise.
    reader
      .startServer?.()
      .catch(({ message }: Error) =>
        warnOperator(
          `Prometheus can scrape no metrics: ${message}. Set OTEL_EXPORTER_PROMETHEUS_PORT to a free port, ` +
            'and OTEL_EXPORTER_PROMETHEUS_HOST to an address of this machine, or unset it',
        ),
      );
  }
}
interface PrometheusReader {
  startServer?(): Promise<void>;
}

/**
 * Options by which a `NodeSDK` registers nothing for these signals. With traces, their context and propagation are another
 * SDK's, too. For logs, it still makes an empty provider, which the API refuses.
 */
function without(signals: readonly Signal[]): Partial<NodeSDKConfiguration> {
  return {
    ...(signals.includes('traces') && {
      spanProcessors: [],
      // `null` means "do not register", which its type does not say.
      contextManager: null as never,
      textMapPropagator: null,
    }),
    ...(signals.includes('metrics') && { metricReaders: [] }),
    ...(signals.includes('logs') && { logRecordProcessors: [] }),
  };
}

/** The resource. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win over it. */
function resource(): Pick<NodeSDKConfiguration, 'resource'> & Partial<NodeSDKConfiguration> {
  const version = serverOf(serverPackages(process.env), process.argv[1])?.version;
  const path = require.resolve('@opentelemetry/sdk-node');
  // The copy that the SDK uses: another one may have another major version.
  const resources: typeof import('@opentelemetry/resources') =
    createRequire(path)('@opentelemetry/resources');
  const resource = resources.defaultResource().merge(
    resources.resourceFromAttributes({
      'service.name': DEFAULT_SERVICE_NAME,
      // Without one, servers that send to the same place write into the same series.
      'service.instance.id': placeOf({
        env: process.env,
        args: process.argv.slice(2),
        cwd: process.cwd(),
        worker: cluster().worker?.id,
      }),
      ...(version !== undefined && { 'service.version': version }),
    }),
  );
  // A blank one is unset for NodeSDK, too.
  if (process.env.OTEL_NODE_RESOURCE_DETECTORS?.trim()) return { resource };
  // Not NodeSDK's default: that has the detector `process`, which exports the command line, paths and the user's name, and in
  // 3.x one that makes up a new `service.instance.id` at each start.
  const { hostDetector, osDetector, envDetector } = resources;
  return { resource, resourceDetectors: [hostDetector, osDetector, envDetector] };
}

function explain(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')
    return `${error.message.split('\n')[0]}. Install @opentelemetry/sdk-node`;
  return error instanceof Error ? error.message : 'unknown error';
}
