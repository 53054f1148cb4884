// @ts-check
/** Loads of one key each, without a cache. */
import { createRequire } from 'node:module';
import { DataloaderInstrumentation } from '@opentelemetry/instrumentation-dataloader';

/** @param {boolean} isInstrumented */
export default function dataloader(isInstrumented) {
  if (isInstrumented) new DataloaderInstrumentation();
  // Loaded afterwards, and the way in which instrumentations see it.
  const DataLoader = createRequire(import.meta.url)('dataloader');
  const loader = new DataLoader(async (/** @type {string[]} */ keys) => keys, { cache: false });
  return async (/** @type {number} */ operations) => {
    for (let done = 0; done < operations; done += 1) await loader.load('key');
  };
}
