/** What a preload does: it attaches to the Paperclip server that this process is going to load. */
import { isMainThread } from 'node:worker_threads';
import { isSwitchedOn } from './attach/environment.js';
import { keepFromChildren } from './attach/inheritance.js';
import { registerLoader } from './attach/loader.js';
import { isOwnCommand, isServer } from './attach/server.js';
import { IS_BUN } from './attach/support.js';
import { warnOnce, whenAttached } from './attach/watch.js';
import { warnOperator } from './base/faults.js';
import { hasOptions, propagatesContext, serverPackages } from './config.js';
import { CoreInstrumentation } from './core.js';
import { shared } from './shared.js';

const ON_BUN =
  'not attached: Bun is not supported, and this preload does nothing in it. Start the Paperclip server with Node.js';

/**
 * Whether a preload has anything to do. Node.js also runs it in every worker thread, but Paperclip is in the main thread, and
 * through `NODE_OPTIONS` in this package's own command.
 */
export function isWanted(): boolean {
  return isMeant() && !IS_BUN;
}

function isMeant(): boolean {
  return isMainThread && isSwitchedOn(process.env) && !isOwnCommand(process.argv[1]);
}

/** Registers the loader hooks and creates the instrumentation. A failure is a warning and does not stop the server. */
export async function preload(): Promise<void> {
  // Also where it is switched off, or where the server's version has no runtime.
  if (isMainThread && isServer(serverPackages(process.env), process.argv[1])) keepFromChildren(process);
  if (!isMeant() || shared.attachment.isPreloaded) return;
  if (IS_BUN) return warnOnce('bun', ON_BUN);
  shared.attachment.isPreloaded = true;
  whenAttached(() => keepFromChildren(process));
  try {
    const { env } = process;
    await registerLoader({ servers: serverPackages(env), processes: propagatesContext(env) });
    if (!hasOptions(process.env)) new CoreInstrumentation();
    // Only where there is something to validate: zod would be a third of all modules that a preload loads.
    else new (await import('./instrumentation.js')).PaperclipInstrumentation();
  } catch (error) {
    // It would fail in the child processes too.
    keepFromChildren(process);
    warnOperator(`not attached: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
}
