// @ts-check
/** The host as a whole: the server, on a runtime that is instrumented. */
import { createDrivers } from './drivers.mjs';
import { ENVIRONMENTS } from './environments.mjs';
import { LeaseStore } from './leases.mjs';
import { close, listen } from './listen.mjs';
import { createRandom } from './random.mjs';
import { createLeaseServer } from './server.mjs';

/** @import { Telemetry } from './telemetry.mjs' */

/**
 * @param {Pick<Telemetry, 'instrumentation'>} telemetry
 * @param {number} seed of the latencies
 */
export async function startHost({ instrumentation }, seed) {
  const leases = new LeaseStore();
  const drivers = createDrivers(leases, createRandom(seed));
  // Loaded when the instrumentation is there to observe it, as Paperclip's modules are behind the preload.
  const { environmentRuntimeService } = await import('./paperclip-server/services/environment-runtime.mjs');
  const service = environmentRuntimeService(leases, { drivers, environments: ENVIRONMENTS });
  const runtime = instrumentation.instrumentRuntime(service);
  const { createDuplexObservability } = await import('./adapter-utils/duplex-observability.mjs');
  const server = createLeaseServer({ runtime, leases, createDuplexObservability });
  return { url: await listen(server, 0), close: () => close(server) };
}
