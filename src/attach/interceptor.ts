/** Finds the package that intercepts modules, `import-in-the-middle`, and listens to it. */
// Its functions not by name: esbuild's users put a `createRequire` of their own in front of an ES bundle, for CommonJS.
import * as nodeModule from 'node:module';
import type { HostFunction } from '../base/values.js';

/** The functions that a module of the host exports. */
export type HostModule = Record<string, HostFunction | undefined>;

/** Called with each module that our hook or OpenTelemetry's intercepts, also with those intercepted before. */
export type Listener = (url: string, module: HostModule) => void;

/** Does nothing in a bundle: it has no packages, and no hook can intercept a module of it. */
export function listen(listener: Listener): void {
  let interceptor: { addHook(listener: Listener): void };
  try {
    interceptor = requireInterceptor()('import-in-the-middle');
  } catch {
    return;
  }
  interceptor.addHook(listener);
}

/**
 * Hooks and listeners must come from the same copy of `import-in-the-middle`, or nothing is patched. It is the copy
 * that `@opentelemetry/instrumentation` and OpenTelemetry's documented hook use.
 *
 * @throws where `@opentelemetry/instrumentation` cannot be found
 */
export function requireInterceptor(): NodeJS.Require {
  return nodeModule.createRequire(
    nodeModule.createRequire(import.meta.url).resolve('@opentelemetry/instrumentation'),
  );
}
