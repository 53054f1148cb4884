/** The log of calls: one line of JSON for each call that the worker receives, before it is served. */
import { appendFileSync } from 'node:fs';

/**
 * @param {string} hook the hook that was called
 * @param {Record<string, unknown>} config the environment's config, whose `calls` names the file, if there is one
 * @param {Record<string, unknown>} about what the call is about
 */
export function logCall(hook, { calls }, about) {
  if (typeof calls !== 'string') return;
  appendFileSync(calls, `${JSON.stringify({ hook, pid: process.pid, ...about })}\n`);
}
