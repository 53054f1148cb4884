// @ts-check
/**
 * Calls a driver again and again. `one-case.mjs` loads this module once for each side: a loop that both sides shared
 * would be optimized for neither.
 */
import { builtInLease, failing, lease, onLease } from './host.mjs';
import { SLICE } from './measure.mjs';

/** @import { Driver, Input } from './host.mjs' */
/** @import { Side } from './measure.mjs' */

const nothing = async () => {};

/**
 * `execute` on one lease.
 *
 * @param {Pick<Driver, 'execute'>} driver
 * @param {() => Promise<void>} settle
 * @returns {Side}
 */
export function executing(driver, settle = nothing) {
  const input = onLease(lease('lease-1'));
  return {
    async run(operations) {
      for (let done = 0; done < operations; done += 1) await driver.execute(input);
    },
    settle,
  };
}

/**
 * Opens that are refused, each on a lease of its own. As in Paperclip, an `execute` on the lease follows each, the
 * fallback: that is not measured, and leaves nothing to be followed.
 *
 * @param {Pick<Driver, 'execute' | 'openDuplexChannel'>} driver
 * @param {() => Promise<void>} settle
 * @returns {Side}
 */
export function refused(driver, settle) {
  const inputs = Array.from({ length: SLICE }, (_, index) => onLease(builtInLease(`lease-${index}`)));
  return {
    async run(operations) {
      for (let done = 0; done < operations; done += 1) await failing(driver.openDuplexChannel(inputs[done]));
    },
    async settle() {
      await settle();
      for (const input of inputs) await driver.execute(input);
      await settle();
    },
  };
}
