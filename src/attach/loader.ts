/** Puts the loader hooks in place, and listens to what they intercept. */
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import type { HostFunction } from '../base/values.js';
import { shared } from '../shared.js';
import { type Interceptor, inThreadHooks, type RegisterHooks, registerInThread } from './hooks.js';

/** What a module of the host exports, as far as it is of interest. */
export type HostModule = Record<string, HostFunction | undefined>;

/** Called with each module that a hook intercepts, ours or OpenTelemetry's own, also with those of earlier. */
export type Listener = (url: string, module: HostModule) => void;

/** Absent in older lines of Node.js, and from the types of the oldest one that is supported. */
const { registerHooks } = nodeModule as { registerHooks?: RegisterHooks };

/**
 * Registers the hooks: in this thread where Node.js allows it, else in the loader's.
 *
 * @param servers names of the packages that are treated as Paperclip's server
 * @throws where `@opentelemetry/instrumentation` or its `import-in-the-middle` cannot be found
 */
export async function registerLoader(servers: readonly string[]): Promise<void> {
  const options = { from: interceptor(), servers };
  const onStranger = (name: string) => void shared.attachment.strangers.add(name);
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
 * Hooks and listeners must come from the same copy of `import-in-the-middle`, or nothing is patched: the one
 * that `@opentelemetry/instrumentation` uses, which is also the one of OpenTelemetry's documented hook.
 */
function requireInterceptor(): NodeJS.Require {
  return nodeModule.createRequire(
    nodeModule.createRequire(import.meta.url).resolve('@opentelemetry/instrumentation'),
  );
}
