/** What must not outlive `doctor`, however it ends: processes and folders. */
import { constants } from 'node:os';

/** Those that end a process from outside, as Ctrl-C and a terminal that closes do. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const waiting = new Set<() => void>();

/**
 * Has something undone where this process ends before it is done with it: the latest first.
 *
 * @param undo does not throw
 * @returns what undoes it, once
 */
export function undoing(undo: () => void): () => void {
  const once = () => {
    if (!waiting.delete(once)) return;
    if (waiting.size === 0) listen('removeListener');
    undo();
  };
  if (waiting.size === 0) listen('on');
  waiting.add(once);
  return once;
}

function listen(how: 'on' | 'removeListener'): void {
  process[how]('exit', undoAll);
  for (const signal of SIGNALS) process[how](signal, endBy);
}

function undoAll(): void {
  for (const undo of [...waiting].reverse()) undo();
}

/** Ends as the signal would have ended it; nobody listens any more. */
function endBy(signal: NodeJS.Signals): void {
  undoAll();
  process.kill(process.pid, signal);
  // The first process of a container is not killed by its own signals.
  process.exit(128 + constants.signals[signal]);
}
