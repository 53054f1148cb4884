/** What the real driver says of leases of every shape, and what this package's guards say of the same ones. */
import {
  describeLeaseShape,
  hasDuplexLeaseIdentity,
  supportsPluginDuplexChannel,
} from 'opentelemetry-instrumentation-paperclip';
import { sandboxEnvironment } from '../host/stage.mjs';

const FLAGS = [[], [null], [false], [true], [''], ['x'], [0], [1], [{}]];
const VALUES = [[], [null], [''], [' '], [7], [{}], ['valid']];

export function prepare({ environmentRuntimeService }) {
  const reached = new Error('reached the worker');
  const worker = {
    openDuplexChannel: async () => {
      throw reached;
    },
  };
  const service = environmentRuntimeService({}, { pluginWorkerManager: { getWorker: () => worker } });
  const driver = service.getDriver('sandbox');
  const environment = sandboxEnvironment();

  async function judge(lease) {
    const verdict = await driver
      .openDuplexChannel({ environment, lease, command: ['agent'] })
      .catch(({ message }) => message);
    return {
      lease,
      verdict,
      described: describeLeaseShape(lease),
      supportsDuplex: supportsPluginDuplexChannel(lease),
      hasIdentity: hasDuplexLeaseIdentity(lease),
    };
  }
  return {
    'leases of every shape': async () => {
      const judged = [];
      for (const lease of leases()) judged.push(await judge(lease));
      return judged;
    },
    'leases without metadata': async () => [
      await judge({ id: 'lease-1' }),
      await judge({ id: 'lease-1', metadata: null }),
      await judge({ id: 'lease-1', metadata: undefined }),
    ],
  };
}

/** Every flag with every value of each field; an empty list stands for a field that is not there. */
function* leases() {
  for (const flag of FLAGS) {
    for (const pluginId of VALUES) {
      for (const provider of VALUES) {
        for (const providerLeaseId of VALUES) {
          const metadata = {
            ...field('sandboxProviderPlugin', flag),
            ...field('pluginId', pluginId),
            ...field('provider', provider),
          };
          yield { id: 'lease-1', metadata, ...field('providerLeaseId', providerLeaseId) };
        }
      }
    }
  }
}

function field(name, [...values]) {
  return Object.fromEntries(values.map((value) => [name, value]));
}
