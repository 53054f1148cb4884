// @ts-check
/**
 * A host with an SDK that reads the `OTEL_*` variables: carries out lease operations two of which fail and are recovered
 * from, as often as the argument says, and exports spans and then metrics after each time.
 */
import { metrics, trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';

const [times = '1'] = process.argv.slice(2);

const instrumentation = new PaperclipInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation], serviceName: 'paperclip' });
sdk.start();

const metadata = { sandboxProviderPlugin: true, pluginId: 'plugin-1', provider: 'daytona' };
const complete = {
  id: 'lease-1',
  companyId: 'company-1',
  issueId: 'issue-1',
  providerLeaseId: 'p',
  metadata,
};
const nonPlugin = { ...complete, metadata: {} };
const incomplete = { ...complete, providerLeaseId: null, metadata: { sandboxProviderPlugin: true } };

const driver = instrumentation.instrumentDriver({
  driver: 'sandbox',
  async acquireRunLease(/** @type {object} */ _input) {
    return complete;
  },
  async execute(/** @type {object} */ _input) {
    return { exitCode: 3, timedOut: false };
  },
  async openDuplexChannel(/** @type {{ lease: typeof nonPlugin | typeof complete }} */ { lease }) {
    if (!('pluginId' in lease.metadata)) {
      throw new Error(
        'sandboxProviderPlugin' in lease.metadata
          ? 'Sandbox duplex channel needs a plugin id, a provider key, and a provider lease id on the lease.'
          : 'Sandbox driver does not support duplex channels for this lease.',
      );
    }
    return { write() {} };
  },
});

const environment = { id: 'env-1', driver: 'sandbox', config: { provider: 'daytona' } };
const on = (/** @type {any} */ lease) => ({ environment, lease });
const ignore = () => {};

for (let time = 0; time < Number(times); time += 1) {
  await driver.openDuplexChannel(on(nonPlugin)).catch(ignore);
  await driver.execute(on(nonPlugin));
  await driver.openDuplexChannel(on(incomplete)).catch(ignore);
  await driver.acquireRunLease({ environment, companyId: 'company-1', issueId: 'issue-1' });
  await driver.openDuplexChannel(on(complete));
  // `tail` prints in the order in which exports come.
  await /** @type {any} */ (trace.getTracerProvider()).getDelegate().forceFlush();
  await /** @type {any} */ (metrics.getMeterProvider()).forceFlush?.();
}
console.log('exported');
await sdk.shutdown();
