/**
 * What a host does after the preload: imports Paperclip's modules, starts an SDK, has operations fail as they
 * do without a database or a worker, and prints what was exported.
 *
 * Arguments: the URL of `environment-runtime`, and, where there are duplex channels, those of `duplex-observability` and
 * `startup-timing`.
 */
import { trace } from '@opentelemetry/api';

const [runtimeUrl, observabilityUrl, timingUrl] = process.argv.slice(2);
const { environmentRuntimeService } = await import(runtimeUrl);
const duplex = observabilityUrl === undefined ? undefined : await import(observabilityUrl);
const timing = timingUrl === undefined ? undefined : await import(timingUrl);
// After the server's modules: Paperclip starts its SDK late.
const { startTelemetry } = await import('./telemetry.mjs');
const telemetry = startTelemetry();

const service = environmentRuntimeService({}, { pluginWorkerManager: { getWorker: () => null } });
const environment = { id: 'environment-1', driver: 'sandbox' };
const lease = (metadata) => ({ id: 'lease-1', companyId: 'company-1', metadata });
const errors = [];

await fail(() => service.execute({ environment, lease: lease({ driver: 'sandbox' }), command: 'true' }));
if (duplex !== undefined) {
  const driver = service.getDriver('sandbox');
  for (const metadata of [{}, { sandboxProviderPlugin: true }])
    await fail(() => driver.openDuplexChannel({ environment, lease: lease(metadata), command: ['true'] }));

  const ignore = () => {};
  const recorder = { recordSpan: ignore, incrementCounter: ignore, emitEvent: ignore };
  const facade = duplex.createDuplexObservability({ recorder, providerKey: 'daytona' });
  facade.startChannelOpen().ready();
}

/** Whether the step that the worker manager would read in an operation has the operation's span as its parent. */
let isOperationParent;
if (timing !== undefined) {
  const resumeRunLease = () => {
    const step = timing.getActiveStepContext();
    const parent = step === null ? undefined : trace.getSpanContext(step.parentContext);
    isOperationParent = parent !== undefined && parent.spanId === trace.getActiveSpan()?.spanContext().spanId;
  };
  const own = environmentRuntimeService({}, { drivers: [{ driver: 'local', resumeRunLease }] });
  own.getDriver('local').resumeRunLease({ environment: { id: 'environment-1', driver: 'local' } });
}

const document = { node: process.version, errors, isOperationParent, ...(await telemetry.take()) };
// The server's logger keeps a worker thread alive, so the process does not end by itself.
process.stdout.write(JSON.stringify(document), () => process.exit());

async function fail(call) {
  try {
    await call();
    errors.push('none');
  } catch (error) {
    errors.push(error.message);
  }
}
