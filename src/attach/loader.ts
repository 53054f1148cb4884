/** Registers the loader hooks. A part of the preloads only: the library has to fit into a bundle, and hooks are files. */
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { shared } from '../shared.js';
import {
  type HookOptions,
  type Interceptor,
  inThreadHooks,
  type RegisterHooks,
  registerInThread,
} from './hooks.js';
import { keepFromChildren } from './inheritance.js';
import { requireInterceptor } from './interceptor.js';

/** Absent before Node.js 22.15, and from the types of Node.js 20. */
const { registerHooks } = nodeModule as { registerHooks?: RegisterHooks };

/**
 * Registers the hooks, in this thread where Node.js allows it, else in the loader's thread.
 *
 * @param wanted what is to be intercepted
 * @throws where `@opentelemetry/instrumentation` or its `import-in-the-middle` cannot be found
 */
export async function registerLoader(wanted: Omit<HookOptions, 'from'>): Promise<void> {
  const options = { from: interceptor(), ...wanted };
  const onStranger = (name: string) => {
    shared.attachment.strangers.add(name);
    keepFromChildren(process);
  };
  if (registerHooks !== undefined && (await registerInThread(options, registerHooks, onStranger))) return;
  const { port1, port2 } = new MessageChannel();
  port1.on('message', onStranger).unref();
  const data = { ...options, strangers: port2 };
  nodeModule.register('./hooks.js', { parentURL: import.meta.url, data, transferList: [port2] });
}

/**
 * Whether {@link registerLoader} registers the hooks in this thread.
 *
 * @throws where `@opentelemetry/instrumentation` or its `import-in-the-middle` cannot be found
 */
export async function runsInThread(): Promise<boolean> {
  return registerHooks !== undefined && (await inThreadHooks(interceptor())) !== undefined;
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
