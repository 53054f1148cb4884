/** Processes and folders that must not outlive `doctor`, however it ends. */
import { constants } from 'node:os';

/** What ends a process from outside: `kill`, Ctrl-C, and a terminal that closes. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const waiting = new Set<() => void>();

/**
 * Has something cleaned up if this process ends early, the latest first.
 *
 * @param cleanUp does not throw
 * @returns cleans it up now, once
 */
export function cleanUpAtExit(cleanUp: () => void): () => void {
  const once = () => {
    if (!waiting.delete(once)) return;
    if (waiting.size === 0) listen('removeListener');
    cleanUp();
  };
  if (waiting.size === 0) listen('on');
  waiting.add(once);
  return once;
}

function listen(how: 'on' | 'removeListener'): void {
  process[how]('exit', cleanUpAll);
  for (const signal of ENDING) process[how](signal, endBy);
}

function cleanUpAll(): void {
  for (const cleanUp of [...waiting].reverse()) cleanUp();
}

/** Ends as the signal would have ended it. The listeners are removed by then. */
function endBy(signal: NodeJS.Signals): void {
  cleanUpAll();
  process.kill(process.pid, signal);
  // The first process of a container is not killed by its own signals.
  process.exit(128 + constants.signals[signal]);
}
