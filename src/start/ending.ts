/**
 * Exports the rest of the telemetry when the process ends, within a time limit. The process ends as it would have without us:
 * by the same signal, with the same exit code and the same error.
 */
import { Hold, listenersOf, SIGNALS, type Signal } from './hold.js';

/** How to export the telemetry before the process is gone. */
export interface Ending {
  /** Exports what has been recorded. More may come. */
  flush(): Promise<void>;
  /** Exports what has been recorded, for the last time. */
  shutdown(): Promise<void>;
  /** Time limit of each, in milliseconds. */
  readonly limit: number;
  /** How many milliseconds after a signal nothing waits any more. They count for the host's own shutdown, too. */
  readonly signalLimit: number;
  /** Time limit after a fatal error, in milliseconds. It is short, because other code of the host runs on meanwhile. */
  readonly fatalLimit: number;
}

/** Process 1, as in a container: a signal that it does not listen to does nothing to it (`pid_namespaces(7)`). */
const SURVIVES = process.pid === 1;

/** How often our listener of a signal goes to the first place again. Another one that does the same would never let it end. */
const MAX_MOVES = 100;

/** Flushes before this process ends: by a signal, at a fatal error, or when nothing is left to do. */
export function flushAtTheEnd(ending: Ending): void {
  /** When the end that a signal began has to be over. */
  let deadline: number | undefined;
  const left = (limit = ending.limit) =>
    Math.max(0, Math.min(limit, (deadline ?? Infinity) - performance.now()));
  let last: Promise<boolean> | undefined;
  const finish = (limit?: number) => {
    last ??= within(left(limit), ending.shutdown);
    return last;
  };
  const hold = new Hold((end) => (left() > 0 ? void finish().then(end) : end()));

  const listen = (signal: Signal) => {
    once(signal, () => {
      if (hold.isTaken) return;
      const isListenedTo = listenersOf(signal).length > 0;
      if (isListenedTo || !SURVIVES) {
        // A second signal does not move the deadline of the first one.
        if (deadline === undefined || left() === 0) deadline = performance.now() + ending.signalLimit;
        hold.engage();
      }
      if (isListenedTo || SURVIVES) {
        // The host may take long to shut down, and be killed before it is done.
        ending.flush().catch(ignore);
      } else {
        hold.take(() => process.kill(process.pid, signal));
      }
      // The process goes on, and the host may listen to the next signal.
      if (SURVIVES) setImmediate(listen, signal);
    });
  };
  for (const signal of SIGNALS) listen(signal);
  atFatalError(hold, () => finish(ending.fatalLimit));
  beforeExit(finish);
}

/**
 * Listens to a signal once, as the first listener. A listener that was called before us may have removed itself, and the
 * process would seem to have none. Ours is removed before it is called, because some listeners end the process only if
 * they are the last.
 */
function once(signal: Signal, listener: () => void): void {
  let moves = 0;
  const first = () => {
    process.removeListener('newListener', stayFirst);
    process.removeListener(signal, first);
    listener();
  };
  const stayFirst = (event: string | symbol, added: unknown) => {
    if (event !== signal || added === first) return;
    queueMicrotask(() => {
      if (listenersOf(signal)[0] === first || moves === MAX_MOVES) return;
      moves += 1;
      const isThere = listenersOf(signal).includes(first);
      process.prependListener(signal, first);
      // It is there twice now: this removes the later entry.
      if (isThere) process.removeListener(signal, first);
    });
  };
  process.on('newListener', stayFirst);
  process.prependListener(signal, first);
}

/** After an error that nobody catches, the process lives until the flush is done. Then it dies of that error in any case. */
function atFatalError(hold: Hold, finish: () => Promise<boolean>): void {
  let isEnding = false;
  process.prependListener('exit', () => {
    isEnding = true;
  });
  process.on('uncaughtExceptionMonitor', (error) => {
    if (isEnding || process.hasUncaughtExceptionCaptureCallback()) return;
    if (process.listenerCount('uncaughtException') > 0) {
      // The host decides. If it ends the process at once, a flush comes first.
      if (!hold.engage()) return;
      setImmediate(() => {
        if (!hold.isTaken) hold.release();
      });
      return;
    }
    isEnding = true;
    hold.refuse();
    process.on('uncaughtException', ignore);
    void finish().then(() => dieOf(error, hold));
  });
}

/**
 * Errors after a fatal error are not reported: without us they would not have happened. Nor are those of a flush: the SDK has said
 * through `diag` what failed.
 */
function ignore(): void {}

/** Throws the error where nobody catches it, so that Node.js reports it and exits with its code. */
function dieOf(error: unknown, hold: Hold): void {
  hold.release();
  process.removeAllListeners('uncaughtException');
  // The monitors have seen the error already.
  process.removeAllListeners('uncaughtExceptionMonitor');
  setImmediate(() => {
    throw error;
  });
}

/** Flushes when nothing is left to do, also for the host's own listeners of `beforeExit`. */
function beforeExit(finish: () => Promise<boolean>): void {
  const look = () => {
    // Some are listed that keep no process alive, such as standard output.
    const before = process.getActiveResourcesInfo().length;
    setImmediate(async () => {
      // Other listeners have begun something. The event comes again after it.
      if (process.getActiveResourcesInfo().length > before) return;
      process.removeListener('beforeExit', look);
      const isDone = await finish();
      // Only our flush keeps the process alive, so it ends when the time limit is over.
      if (!isDone) process.exit();
    });
  };
  process.prependListener('beforeExit', look);
}

/**
 * Does the work, and waits until the time limit at most.
 *
 * @returns whether it ended in time, also if it failed
 */
async function within(limit: number, work: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, limit, false);
  });
  try {
    return await Promise.race([work().then(() => true), timeout]);
  } catch {
    // The SDK has said through `diag` what failed.
    return true;
  } finally {
    clearTimeout(timer);
  }
}
