/** The files of Paperclip that are patched, and how. */
import {
  InstrumentationNodeModuleDefinition,
  InstrumentationNodeModuleFile,
} from '@opentelemetry/instrumentation';
import { observeDuplexFactory } from '../duplex/observability.js';
import type { HostFunction } from '../operations/disguise.js';
import type { Instrumenter } from '../operations/instrumenter.js';
import { addStepSource } from '../signals/parents.js';

/**
 * The first version with `environment-runtime.js`. There is no upper bound: Paperclip's versions are dates,
 * and what a later one no longer has is left alone.
 */
const SUPPORTED_VERSIONS = ['>=2026.427.0'];

/** What a module of the host exports, as far as it is of interest. */
type HostModule = Record<string, HostFunction | undefined>;

/** A package, and what to do with each of its files that are patched. */
export interface PatchedModule {
  readonly name: string;
  readonly files: Readonly<Record<string, (module: HostModule) => void>>;
}

/**
 * @param servers names of the packages that are treated as Paperclip's server
 * @param instrumenter instruments the services that the server builds
 */
export function paperclipModules(servers: readonly string[], instrumenter: Instrumenter): PatchedModule[] {
  const server = (name: string): PatchedModule => ({
    name,
    files: {
      'dist/services/environment-runtime.js': (module) =>
        replace(module, 'environmentRuntimeService', (factory) => instrumenter.factory(factory)),
    },
  });
  const adapterUtils: PatchedModule = {
    name: '@paperclipai/adapter-utils',
    files: {
      'dist/duplex-observability.js': (module) =>
        replace(module, 'createDuplexObservability', observeDuplexFactory),
      'dist/acpx-engine/startup-timing.js': ({ getActiveStepContext }) => {
        if (typeof getActiveStepContext === 'function') addStepSource(getActiveStepContext);
      },
    },
  };
  return [...servers.map(server), adapterUtils];
}

/** The patched files of a module, as `<package>/<path>`. */
export function filesOf({ name, files }: PatchedModule): string[] {
  return Object.keys(files).map((file) => `${name}/${file}`);
}

/** The module as OpenTelemetry's instrumentations define it. */
export function toDefinition({ name, files }: PatchedModule): InstrumentationNodeModuleDefinition {
  const patches = Object.entries(files).map(([file, patch]) => {
    const apply = (module: HostModule) => {
      patch(module);
      return module;
    };
    // What was patched stays: it is transparent while the instrumentation is disabled.
    return new InstrumentationNodeModuleFile(`${name}/${file}`, SUPPORTED_VERSIONS, apply, () => {});
  });
  const definition = new InstrumentationNodeModuleDefinition(
    name,
    SUPPORTED_VERSIONS,
    undefined,
    undefined,
    patches,
  );
  // Paperclip's canaries and nightlies are pre-releases.
  return Object.assign(definition, { includePrerelease: true });
}

/** Replaces an exported function, if it is there. */
function replace(module: HostModule, name: string, make: (original: HostFunction) => HostFunction): void {
  const original = module[name];
  if (typeof original === 'function') module[name] = make(original);
}
