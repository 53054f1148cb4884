// @ts-check
/** The environments that the demo's server offers, by their ids. */
import {
  DRIVERS_WITHOUT_PROVIDER,
  PROVIDERS,
  VALUE_OTHER,
} from 'opentelemetry-instrumentation-paperclip/semconv';

/**
 * @typedef {object} Environment
 * @property {string} id
 * @property {'local' | 'ssh' | 'sandbox' | 'plugin'} driver
 * @property {EnvironmentConfig} config
 */

/**
 * @typedef {object} EnvironmentConfig
 * @property {string} [provider]
 * @property {string} [pluginKey]
 * @property {string} [driverKey]
 * @property {number} [leasesPerRun] how many leases the provider grants to one run
 * @property {boolean} [enableSandboxDuplexBridge] whether Paperclip's bridge may open channels, which it may by default
 * @property {boolean} [keepsSandboxes] whether the provider fails to give sandboxes up
 * @property {boolean} [isOutdated] whether the provider's plug-in is too old to say which lease it granted
 */

/** @type {readonly Environment[]} */
const environments = [
  { id: 'daytona', driver: 'sandbox', config: { provider: 'daytona' } },
  { id: 'e2b', driver: 'sandbox', config: { provider: 'e2b' } },
  { id: 'kubernetes', driver: 'sandbox', config: { provider: 'kubernetes', leasesPerRun: 1 } },
  {
    id: 'kubernetes-files',
    driver: 'sandbox',
    config: { provider: 'kubernetes', enableSandboxDuplexBridge: false },
  },
  // The instrumentation does not know this provider. Its name could be anything, so it is not recorded.
  { id: 'in-house', driver: 'sandbox', config: { provider: 'in-house-sandboxes' } },
  {
    id: 'in-house-old',
    driver: 'sandbox',
    config: { provider: 'in-house-sandboxes', isOutdated: true, keepsSandboxes: true },
  },
  { id: 'machines', driver: 'plugin', config: { pluginKey: 'acme.machines', driverKey: 'vm' } },
  { id: 'ssh', driver: 'ssh', config: {} },
  { id: 'local', driver: 'local', config: {} },
];

export const ENVIRONMENTS = new Map(environments.map((environment) => [environment.id, environment]));

/**
 * @param {Environment} environment
 * @returns {string | undefined} its provider, as the instrumentation records it
 */
export function providerOf({ driver, config: { provider = driver } }) {
  if (/** @type {readonly string[]} */ (DRIVERS_WITHOUT_PROVIDER).includes(driver)) return undefined;
  return /** @type {readonly string[]} */ (PROVIDERS).includes(provider) ? provider : VALUE_OTHER;
}
