/** Does work before a meter provider is shut down. */

import { attempt } from '../base/faults.js';
import type { HostFunction } from '../base/values.js';
import { disguise } from '../wrap/disguise.js';

/**
 * Does the work when the provider is shut down, before its last collection. The API has no event for that, and a host that
 * shuts down its SDK does not disable its instrumentations, so the method of this one object is wrapped.
 *
 * @param provider a meter provider; one without `shutdown` is left alone, because it is not an SDK's
 */
export function beforeShutdown(provider: object, work: () => void): void {
  const host = provider as { shutdown?: unknown };
  const { shutdown } = host;
  if (typeof shutdown !== 'function') return;
  const wrapped = disguise(shutdown as HostFunction, (self, args) => {
    attempt('recording a metric failed', work);
    return Reflect.apply(shutdown, self, args);
  });
  Object.defineProperty(provider, 'shutdown', { value: wrapped, configurable: true, writable: true });
}
