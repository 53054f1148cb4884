/** A host like Paperclip, whose calls do what their input says, and what an agent finds there. */

import type { HostFunction } from '../../src/base/values.js';
import { observeDuplexFactory } from '../../src/duplex/observability.js';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { OPERATION_NAMES, type OperationName, PROVIDERS, VALUE_OTHER } from '../../src/semconv.js';
import { Channel } from '../support/told-host.js';

/** Names of the methods of each operation, as the table of the conventions has them. */
export const METHODS: Readonly<Record<OperationName, { service?: string; driver?: string }>> = {
  acquire_run_lease: { service: 'acquireRunLease', driver: 'acquireRunLease' },
  release_run_leases: { service: 'releaseRunLeases' },
  release_run_lease: { driver: 'releaseRunLease' },
  resume_run_lease: { service: 'resumeRunLease', driver: 'resumeRunLease' },
  destroy_run_lease: { service: 'destroyRunLease', driver: 'destroyRunLease' },
  realize_workspace: { service: 'realizeWorkspace', driver: 'realizeWorkspace' },
  execute: { service: 'execute', driver: 'execute' },
  sync_in: { service: 'syncIn', driver: 'syncIn' },
  sync_out: { service: 'syncOut', driver: 'syncOut' },
  open_duplex_channel: { service: 'openDuplexChannel', driver: 'openDuplexChannel' },
  get_runner_ingress_endpoint: {
    service: 'getRunnerIngressEndpoint',
    driver: 'getRunnerIngressEndpoint',
  },
  retry_pending_sandbox_teardown: {
    service: 'retryPendingSandboxTeardown',
    driver: 'retryPendingSandboxTeardown',
  },
};
for (const operation of OPERATION_NAMES) {
  if (!(operation in METHODS)) throw new Error(`test/load/host.ts: METHODS lacks ${operation}`);
}

/** Drivers and providers, with what metrics call them. */
export const ENVIRONMENTS = [
  { driver: 'sandbox', provider: 'daytona' },
  { driver: 'sandbox', provider: 'e2b' },
  { driver: 'sandbox', provider: 'a-cloud-of-our-own' },
  { driver: 'plugin', provider: 'kubernetes' },
  { driver: 'ssh', provider: undefined },
  { driver: 'teleport', provider: undefined },
].map(({ driver, provider }, index) => ({
  id: `environment-${index}`,
  driver,
  provider,
  driverLabel: driver === 'teleport' ? VALUE_OTHER : driver,
  providerLabel: (PROVIDERS as readonly (string | undefined)[]).includes(provider)
    ? provider
    : provider && VALUE_OTHER,
}));
export type Environment = (typeof ENVIRONMENTS)[number];

export interface Input {
  readonly environment: { readonly driver: string };
  /** What the driver does, and how it ends. */
  readonly play: () => unknown;
}
export type Method = (...args: unknown[]) => unknown;
type Driver = Record<string, Method>;

const DRIVER_METHODS = Object.values(METHODS).flatMap(({ driver }) => driver ?? []);

/** A driver whose methods are its own. */
function plainDriver(key: string): object {
  const methods = DRIVER_METHODS.map((method) => [method, (input: Input) => input.play()]);
  return { driver: key, ...Object.fromEntries(methods) };
}

/** A driver that inherits its methods. */
function inheritingDriver(key: string): object {
  class InheritingDriver {
    driver = key;
  }
  for (const method of DRIVER_METHODS) {
    const value = (input: Input) => input.play();
    Object.defineProperty(InheritingDriver.prototype, method, { value, configurable: true, writable: true });
  }
  return new InheritingDriver();
}

/** Like `environmentRuntimeService(db, options)`. */
function makeService() {
  const drivers = new Map<string, object>([
    ['sandbox', inheritingDriver('sandbox')],
    ['plugin', plainDriver('plugin')],
    ['ssh', inheritingDriver('ssh')],
    ['teleport', plainDriver('teleport')],
  ]);
  const getDriver = (key: string) => drivers.get(key) as Driver;
  const through = (method: string) => async (input: Input) =>
    await getDriver(input.environment.driver)[method]?.(input);
  const methods = Object.values(METHODS).flatMap(({ service, driver }) =>
    service && driver ? [[service, through(driver)]] : [],
  );
  return {
    getDriver,
    ...Object.fromEntries(methods),
    acquireRunLease: async (input: Input) => {
      const lease = await getDriver(input.environment.driver).acquireRunLease?.(input);
      return { environment: input.environment, lease, leaseContext: {} };
    },
    releaseRunLeases: async (_runId: string, input: Input) => await input.play(),
  } as { getDriver(key: string): Driver } & Record<string, Method>;
}

/** What Paperclip makes of `createDuplexObservability`, as far as it is told of anything. */
export type Facade = Record<string, Method>;
export type Attempt = Record<'ready' | 'fallback', Method>;

/** The host, observed by an instrumentation. */
export class LoadHost {
  readonly service;
  readonly createFacade: (options: { providerKey: string | undefined }) => Facade;

  constructor(instrumentation: PaperclipInstrumentation) {
    this.service = instrumentation.instrumentRuntime(makeService());
    for (const { driver } of ENVIRONMENTS) this.service.getDriver(driver);
    const none = () => {};
    this.createFacade = observeDuplexFactory((() => ({
      startChannelOpen: () => ({ ready: none, fallback: none }),
      recordFallback: none,
      recordRequest: none,
      recordLoss: none,
      recordSessionLeak: none,
    })) as HostFunction) as LoadHost['createFacade'];
  }
}

export { Channel };
