// @ts-check
/** The environments that the demo's server offers, by their ids. */

/**
 * @typedef {object} Environment
 * @property {string} id
 * @property {'local' | 'ssh' | 'sandbox' | 'plugin'} driver
 * @property {{ provider?: string, pluginKey?: string, driverKey?: string }} config
 */

/** @type {readonly Environment[]} */
const environments = [
  { id: 'daytona', driver: 'sandbox', config: { provider: 'daytona' } },
  { id: 'e2b', driver: 'sandbox', config: { provider: 'e2b' } },
  { id: 'kubernetes', driver: 'sandbox', config: { provider: 'kubernetes' } },
  // The instrumentation does not know this provider. Its name could be anything, so it is not recorded.
  { id: 'in-house', driver: 'sandbox', config: { provider: 'in-house-sandboxes' } },
  { id: 'machines', driver: 'plugin', config: { pluginKey: 'acme.machines', driverKey: 'vm' } },
  { id: 'ssh', driver: 'ssh', config: {} },
  { id: 'local', driver: 'local', config: {} },
];

export const ENVIRONMENTS = new Map(environments.map((environment) => [environment.id, environment]));
