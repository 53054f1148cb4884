/** What is patched in Paperclip, and what is left alone and why. */
import { observeDuplexFactory } from '../duplex/observability.js';
import type { HostFunction } from '../operations/disguise.js';
import type { Instrumenter } from '../operations/instrumenter.js';
import { attempt } from '../signals/faults.js';
import { addStepSource } from '../signals/parents.js';
import { identify, type PackageFile } from './identity.js';
import type { HostModule, Listener } from './loader.js';
import { DUPLEX_OBSERVABILITY, isCandidate, RUNTIME, STARTUP_TIMING } from './places.js';
import { isTooOld } from './support.js';

const ADAPTER_UTILS = '@paperclipai/adapter-utils';

/** Told of each runtime that a server loads. */
export interface RuntimeListener {
  onPatched(runtime: PackageFile): void;
  /** The runtime of a package that is not one of the configured ones. */
  onStranger(runtime: PackageFile): void;
  /** A version that cannot be instrumented. */
  onUnsupported(runtime: PackageFile): void;
}

/**
 * @param servers names of the packages that are treated as Paperclip's server, asked for each module
 * @param instrumenter instruments the services that the server builds
 * @param listener told of what was found
 * @returns what patches a module, if it is one of Paperclip's
 */
export function patcher(
  servers: () => readonly string[],
  instrumenter: Instrumenter,
  listener: RuntimeListener,
): Listener {
  const patch = (file: PackageFile, module: HostModule): void => {
    if (file.place === RUNTIME) {
      if (!servers().includes(file.package.name)) listener.onStranger(file);
      else if (isTooOld(file.package.version)) listener.onUnsupported(file);
      else if (replace(module, 'environmentRuntimeService', (factory) => instrumenter.factory(factory)))
        listener.onPatched(file);
      else listener.onUnsupported(file);
    } else if (isAdapterUtils(file.package.name, servers())) {
      if (file.place === DUPLEX_OBSERVABILITY)
        replace(module, 'createDuplexObservability', observeDuplexFactory);
      const { getActiveStepContext } = module;
      if (file.place === STARTUP_TIMING && typeof getActiveStepContext === 'function')
        addStepSource(getActiveStepContext);
    }
  };
  return (url, module) =>
    attempt('patching a module failed', () => {
      // OpenTelemetry's own hook intercepts every module.
      const file = isCandidate(url) ? identify(url) : undefined;
      if (file !== undefined) patch(file, module);
    });
}

/** Forks that rename the server's scope rename this package's too, or it is listed beside the server. */
function isAdapterUtils(name: string, servers: readonly string[]): boolean {
  const scopeOf = (server: string) => server.split('/')[0];
  return (
    name === ADAPTER_UTILS ||
    servers.includes(name) ||
    servers.some((server) => server.includes('/') && name === `${scopeOf(server)}/adapter-utils`)
  );
}

/** Replaces an exported function, if it is there. */
function replace(module: HostModule, name: string, make: (original: HostFunction) => HostFunction): boolean {
  const original = module[name];
  if (typeof original !== 'function') return false;
  module[name] = make(original);
  return true;
}
