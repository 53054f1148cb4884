/**
 * What a host does after the preload: imports Paperclip's modules, starts an SDK, has operations fail as they
 * do without a database or a worker, and prints what was exported.
 *
 * Arguments: the URL of `environment-runtime`, and, where there are duplex channels, that of
 * `duplex-observability`.
 */
const [runtimeUrl, observabilityUrl] = process.argv.slice(2);
const { environmentRuntimeService } = await import(runtimeUrl);
const duplex = observabilityUrl === undefined ? undefined : await import(observabilityUrl);
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

const document = { node: process.version, errors, ...(await telemetry.take()) };
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
