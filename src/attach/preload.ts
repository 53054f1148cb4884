/** What a preload does: attaches to the Paperclip server that this process is going to load, once. */
import { isMainThread } from 'node:worker_threads';
import { serverPackages } from '../config.js';
import { PaperclipInstrumentation } from '../instrumentation.js';
import { shared } from '../operations/shared.js';
import { warnOperator } from '../signals/faults.js';
import { isSwitchedOn } from './environment.js';
import { registerLoader } from './loader.js';
import { isOwnCommand } from './server.js';

/**
 * Whether a preload has anything to do. Node.js runs it in every worker thread, and Paperclip is in the main one; and
 * `NODE_OPTIONS` brings it to this package's own command, too.
 */
export function isWanted(): boolean {
  return isMainThread && isSwitchedOn(process.env) && !isOwnCommand(process.argv[1]);
}

/** Registers the loader hooks and creates the instrumentation. What fails is a warning. */
export async function preload(): Promise<void> {
  if (!isWanted() || shared.attachment.isPreloaded) return;
  shared.attachment.isPreloaded = true;
  try {
    await registerLoader(serverPackages(process.env));
    new PaperclipInstrumentation();
  } catch (error) {
    warnOperator(`not attached: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
}
