// @ts-check
/** An environment runtime whose calls succeed and fail as they are told, with ids as long as Paperclip's. */
import { randomUUID } from 'node:crypto';
import { observeDuplexFactory } from '../../dist/duplex/observability.js';
import { OPERATIONS } from '../../dist/operations/table.js';

/** @import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip' */

/** @typedef {() => unknown} Outcome what the host's method does */
/** @typedef {ReturnType<typeof createHost>} Host */
/** @typedef {ReturnType<typeof ownerOf>} Owner */

/** The operations of drivers, in the order of the package's table. */
export const METHODS = OPERATIONS.flatMap(({ method }) => method.driver ?? []);
const HOUR_MS = 3_600_000;

/** @param {PaperclipInstrumentation} instrumentation */
export function createHost(instrumentation) {
  /** @type {Record<string, (input: { outcome: Outcome }) => Promise<unknown>>} */
  const driver = instrumentation.instrumentDriver(
    Object.fromEntries(
      METHODS.map((method) => [method, async (/** @type {{ outcome: Outcome }} */ { outcome }) => outcome()]),
    ),
  );
  const service = instrumentation.instrumentRuntime({
    releaseRunLeases: async (/** @type {string} */ _runId, /** @type {Outcome} */ outcome) => await outcome(),
  });
  return {
    /**
     * Calls a method of the driver, and takes what comes.
     *
     * @param {string} method
     * @param {object} input
     * @param {Outcome} outcome
     */
    async call(method, input, outcome = () => undefined) {
      await driver[method]?.({ ...input, outcome }).catch(() => {});
    },
    /** @param {string} runId @param {Outcome} outcome */
    async releaseAll(runId, outcome) {
      await service.releaseRunLeases(runId, outcome).catch(() => {});
    },
  };
}

/**
 * What Paperclip tells of its channels of a provider.
 *
 * @param {string} providerKey
 */
export function createFacade(providerKey) {
  const factory = (/** @type {unknown} */ _options) => ({
    recordFallback(/** @type {string} */ _reason) {},
    recordRequest(/** @type {{ latencyMs: number, outcome: string }} */ _request) {},
    recordLoss(/** @type {string} */ _lossClass, /** @type {string} */ _reason) {},
    recordSessionLeak() {},
  });
  const observed = /** @type {typeof factory} */ (observeDuplexFactory(factory));
  return observed({ providerKey });
}

/** Whom a run is for, under ids that nobody else has. */
export function ownerOf() {
  return {
    companyId: randomUUID(),
    agentId: randomUUID(),
    issueId: randomUUID(),
    heartbeatRunId: randomUUID(),
  };
}

/**
 * @param {string} driver
 * @param {string} [provider]
 */
export function environmentOf(driver, provider) {
  return { id: randomUUID(), driver, config: { provider } };
}

/**
 * @param {ReturnType<typeof environmentOf>} environment
 * @param {'plugin_complete' | 'plugin_incomplete' | 'non_plugin'} shape
 * @param {Owner} owner
 * @param {string} [acquisition] how it came about
 */
export function leaseOf(environment, shape, owner, acquisition) {
  const { driver, config } = environment;
  const now = Date.now();
  return {
    id: randomUUID(),
    ...owner,
    environmentId: environment.id,
    status: 'active',
    leasePolicy: 'ephemeral',
    provider: config.provider ?? driver,
    providerLeaseId: shape === 'plugin_incomplete' ? undefined : randomUUID(),
    acquiredAt: new Date(now - HOUR_MS),
    expiresAt: new Date(now + HOUR_MS),
    metadata: {
      driver,
      sandboxProviderPlugin: shape !== 'non_plugin',
      pluginId: shape === 'non_plugin' ? undefined : randomUUID(),
      provider: config.provider,
      sandboxLeaseAcquisition: { outcome: acquisition },
    },
  };
}

/** @param {unknown} error @returns {Outcome} */
export function failing(error) {
  return () => {
    throw error;
  };
}
