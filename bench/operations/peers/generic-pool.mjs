// @ts-check
/** Acquires and releases of a pool. */
import { createRequire } from 'node:module';
import { GenericPoolInstrumentation } from '@opentelemetry/instrumentation-generic-pool';

/** @param {boolean} isInstrumented */
export default function genericPool(isInstrumented) {
  if (isInstrumented) new GenericPoolInstrumentation();
  // Loaded afterwards, and the way in which instrumentations see it.
  const { createPool } = createRequire(import.meta.url)('generic-pool');
  const pool = createPool({ create: async () => ({}), destroy: async () => {} }, { min: 1, max: 1 });
  return async (/** @type {number} */ operations) => {
    for (let done = 0; done < operations; done += 1) await pool.release(await pool.acquire());
  };
}
