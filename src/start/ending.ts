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
  /** Time limit of both, in milliseconds. */
  readonly limit: number;
  /** Time limit after a fatal error, in milliseconds. It is short, because other code of the host runs on meanwhile. */
  readonly fatalLimit: number;
}

/** Flushes before this process ends: by a signal, at a fatal error, or when nothing is left to do. */
export function flushAtTheEnd(ending: Ending): void {
  let last: Promise<boolean> | undefined;
  const finish = (limit = ending.limit) => {
    last ??= within(limit, ending.shutdown);
    return last;
  };
  const hold = new Hold((end) => void finish().then(end));

  for (const signal of SIGNALS) {
    once(signal, () => {
      if (hold.isTaken) return;
      if (listenersOf(signal) === 0) {
        void finish().then(() => process.kill(process.pid, signal));
        return;
      }
      // The host may take long to shut down, and be killed before it is done.
      void within(ending.limit, ending.flush);
      hold.engage();
    });
  }
  atFatalError(hold, () => finish(ending.fatalLimit));
  beforeExit(ending, finish);
}

/**
 * Listens to a signal once, as the first listener. A listener that was called before us may have removed itself, and the
 * process would seem to have none. Ours is removed before it is called, because some listeners end the process only if
 * they are the last.
 */
function once(signal: Signal, listener: () => void): void {
  const first = () => {
    process.removeListener('newListener', stayFirst);
    process.removeListener(signal, first);
    listener();
  };
  const stayFirst = (event: string | symbol, added: unknown) => {
    if (event !== signal || added === first) return;
    queueMicrotask(() => {
      if (process.listeners(signal)[0] === first) return;
      const isThere = process.listeners(signal).includes(first);
      process.prependListener(signal, first);
      // Removes the later one of two.
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
      if (hold.isTaken) return;
      hold.engage();
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

/** Errors after a fatal error are not reported: without us they would not have happened. */
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

/** If the host has listeners of its own, they may record more. */
function beforeExit({ flush, limit }: Ending, finish: () => Promise<boolean>): void {
  const isAlone = () => process.listenerCount('beforeExit') === 0;
  const end = async () => {
    const isDone = await finish();
    // Only our flush keeps the process alive, so it ends when the time limit is over.
    if (!isDone && isAlone()) process.exit();
  };
  process.once('beforeExit', () => {
    if (isAlone()) return void end();
    process.once('beforeExit', () => void end());
    return void within(limit, flush);
  });
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
