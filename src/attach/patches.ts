/** Patches the modules of Paperclip that are intercepted. */

import { attempt } from '../base/faults.js';
import type { HostFunction } from '../base/values.js';
import type { Settings } from '../config.js';
import { observeDuplexFactory } from '../duplex/observability.js';
import type { Instrumenter } from '../instrument/instrumenter.js';
import { passContextOn } from '../instrument/processes.js';
import { addStepSource, parentOfProviderSpans } from '../telemetry/parents.js';
import { identify, type PackageFile } from './identity.js';
import type { HostModule, Listener } from './interceptor.js';
import { isCandidate, roleOf } from './places.js';
import { isTooOld } from './support.js';

/** Called for each runtime that a server loads. */
export interface RuntimeListener {
  onPatched(runtime: PackageFile): void;
  /** The runtime of a package that is not configured. */
  onStranger(runtime: PackageFile): void;
  /** A version that cannot be instrumented. */
  onUnsupported(runtime: PackageFile): void;
}

/**
 * @param settings called for each module
 * @param instrumenter instruments the services that the server builds
 * @returns a function that patches a module, if it is one of Paperclip's
 */
export function patcher(
  settings: () => Settings,
  instrumenter: Instrumenter,
  listener: RuntimeListener,
): Listener {
  const patch = (file: PackageFile, module: HostModule): void => {
    const { packages, providerSpans, propagateContext } = settings();
    switch (roleOf(file, packages)) {
      case 'stranger':
        listener.onStranger(file);
        break;
      case 'runtime':
        if (isTooOld(file.package.version)) listener.onUnsupported(file);
        else if (replace(module, 'environmentRuntimeService', (factory) => instrumenter.factory(factory)))
          listener.onPatched(file);
        else listener.onUnsupported(file);
        break;
      case 'duplex observability':
        replace(module, 'createDuplexObservability', observeDuplexFactory);
        break;
      case 'startup timing':
        if (typeof module.getActiveStepContext === 'function') addStepSource(module.getActiveStepContext);
        if (providerSpans)
          replace(module, 'getActiveStepContext', (source) =>
            parentOfProviderSpans(source, module.runWithRuntimeParent),
          );
        break;
      case 'processes':
        if (propagateContext)
          replace(module, 'runChildProcess', (original) =>
            passContextOn(original, () => instrumenter.isEnabled() && settings().propagateContext),
          );
    }
  };
  return (url, module) =>
    attempt('patching a module failed', () => {
      // OpenTelemetry's own hook intercepts every module.
      const file = isCandidate(url) ? identify(url) : undefined;
      if (file !== undefined) patch(file, module);
    });
}

/** Replaces an exported function, if it is there. */
function replace(module: HostModule, name: string, make: (original: HostFunction) => HostFunction): boolean {
  const original = module[name];
  if (typeof original !== 'function') return false;
  module[name] = make(original);
  return true;
}
