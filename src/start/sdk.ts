/** Starts OpenTelemetry's NodeSDK, which reads the `OTEL_*` variables itself. */
import { createRequire } from 'node:module';
import type { NodeSDKConfiguration } from '@opentelemetry/sdk-node';
import { serverOf } from '../attach/server.js';
import { type Signal, servedSignals } from '../base/api.js';
import { warnOperator } from '../base/faults.js';
import { inWords } from '../base/text.js';
import { DEFAULT_SERVICE_NAME, serverPackages, wantedSignals } from '../config.js';
import { flushProviders } from '../telemetry/flush.js';
import { flushAtTheEnd } from './ending.js';
import { placeOf } from './place.js';

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
  const served = servedSignals();
  if (served.length > 0) {
    const isComplete = wantedSignals(process.env).every((signal) => served.includes(signal));
    warnOperator(
      `an OpenTelemetry SDK for ${inWords(served)} is registered already: it is used, and ` +
        (isComplete ? 'no other is started' : 'one for the other signals is started beside it'),
    );
    if (isComplete) return;
  }
  try {
    const { NodeSDK } = await import('@opentelemetry/sdk-node');
    const sdk = new NodeSDK({ ...resource(), ...without(served) });
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
  const path = createRequire(import.meta.url).resolve('@opentelemetry/sdk-node');
  // The copy that the SDK uses: another one may have another major version.
  const resources: typeof import('@opentelemetry/resources') =
    createRequire(path)('@opentelemetry/resources');
  const resource = resources.defaultResource().merge(
    resources.resourceFromAttributes({
      'service.name': DEFAULT_SERVICE_NAME,
      // Without one, servers that send to the same place write into the same series.
      'service.instance.id': placeOf({ env: process.env, args: process.argv.slice(2), cwd: process.cwd() }),
      ...(version !== undefined && { 'service.version': version }),
    }),
  );
  // A blank one is unset for NodeSDK, too.
  if (process.env.OTEL_NODE_RESOURCE_DETECTORS?.trim()) return { resource };
  // NodeSDK's own choice, without the detector that exports the command line, paths and the user's name (`process`), and the
  // one of 3.x that makes up a new `service.instance.id` at each start.
  const { hostDetector, osDetector, envDetector } = resources;
  return { resource, resourceDetectors: [hostDetector, osDetector, envDetector] };
}

function explain(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
    return `${error.message.split('\n')[0]}. Install @opentelemetry/sdk-node`;
  return error instanceof Error ? error.message : 'unknown error';
}
