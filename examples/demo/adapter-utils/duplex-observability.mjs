// @ts-check
/**
 * Stands in for Paperclip's file of this package, name and place: what its bridge tells of duplex channels. Paperclip
 * writes that to its database; here it goes nowhere. The instrumentation listens in on it either way.
 */

/**
 * @typedef {object} DuplexObservability
 * @property {() => { ready: () => void, fallback: (reason: string) => void }} startChannelOpen
 * @property {(reason: string) => void} recordFallback no channel was tried
 * @property {(request: { latencyMs: number, outcome: 'ok' | 'error' }) => void} recordRequest
 * @property {(lossClass: string, reason: string) => void} recordLoss
 * @property {() => void} recordSessionLeak
 */

/**
 * @param {{ providerKey?: string | undefined }} _options
 * @returns {DuplexObservability}
 */
export function createDuplexObservability(_options) {
  return {
    startChannelOpen: () => ({ ready() {}, fallback() {} }),
    recordFallback() {},
    recordRequest() {},
    recordLoss() {},
    recordSessionLeak() {},
  };
}
