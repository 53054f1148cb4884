/** Registers the loader hooks, and listens to the modules that they intercept. */
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import type { HostFunction } from '../base/values.js';
import { shared } from '../shared.js';
import { type Interceptor, inThreadHooks, type RegisterHooks, registerInThread } from './hooks.js';
import { keepFromChildren } from './inheritance.js';

/** The functions that a module of the host exports. */
export type HostModule = Record<string, HostFunction | undefined>;

/** Called with each module that our hook or OpenTelemetry's intercepts, also with those intercepted before. */
export type Listener = (url: string, module: HostModule) => void;

/** Absent before Node.js 22.15, and from the types of Node.js 20. */
const { registerHooks } = nodeModule as { registerHooks?: RegisterHooks };

/**
 * Registers the hooks, in this thread where Node.js allows it, else in the loader's thread.
 *
 * @param servers names of the packages that are treated as Paperclip's server
 * @throws where `@opentelemetry/instrumentation` or its `import-in-the-middle` cannot be found
 */
export async function registerLoader(servers: readonly string[]): Promise<void> {
  const options = { from: interceptor(), servers };
  const onStranger = (name: string) => {
    shared.attachment.strangers.add(name);
    keepFromChildren(process);
  };
  if (registerHooks !== undefined && (await registerInThread(options, registerHooks, onStranger))) return;
  const { port1, port2 } = new MessageChannel();
  port1.on('message', onStranger).unref();
  const data = { ...options, strangers: port2 };
  nodeModule.register(new URL('./hooks.js', import.meta.url), { data, transferList: [port2] });
}

/**
 * Whether {@link registerLoader} registers the hooks in this thread.
 *
 * @throws where `@opentelemetry/instrumentation` or its `import-in-the-middle` cannot be found
 */
export async function runsInThread(): Promise<boolean> {
  return registerHooks !== undefined && (await inThreadHooks(interceptor())) !== undefined;
}

/** @throws where `@opentelemetry/instrumentation` or its `import-in-the-middle` cannot be found */
export function listen(listener: Listener): void {
  const { addHook } = requireInterceptor()('import-in-the-middle') as { addHook(listener: Listener): void };
  addHook(listener);
}

function interceptor(): Interceptor {
  const { resolve } = requireInterceptor();
  const urlOf = (file: string) => pathToFileURL(resolve(`import-in-the-middle/${file}`)).href;
  const hook = urlOf('hook.mjs');
  try {
    return { createHook: urlOf('create-hook.mjs'), hook };
  } catch {
    // Before version 2.
    return { createHook: urlOf('hook.js'), hook };
  }
}

/**
 * Hooks and listeners must come from the same copy of `import-in-the-middle`, or nothing is patched. It is the copy
 * that `@opentelemetry/instrumentation` and OpenTelemetry's documented hook use.
 */
function requireInterceptor(): NodeJS.Require {
  return nodeModule.createRequire(
    nodeModule.createRequire(import.meta.url).resolve('@opentelemetry/instrumentation'),
  );
}
