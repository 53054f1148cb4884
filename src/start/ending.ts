/**
 * Exports what is left when the process ends, within a limit, and lets it end as it would have: by the same
 * signal, with the same exit code and the same error.
 */
import { Hold, listenersOf, SIGNALS, type Signal } from './hold.js';

/** What is to be done with telemetry before the process is gone. */
export interface Ending {
  /** Exports what there is; more may come. */
  flush(): Promise<void>;
  /** Exports what there is, for the last time. */
  shutdown(): Promise<void>;
  /** How long to wait for either, in milliseconds. */
  readonly limit: number;
  /** How long to wait after a fatal error, in milliseconds: other code of the host runs on meanwhile. */
  readonly fatalLimit: number;
}

/** From now on the end of this process is preceded by a flush: by signal, at a fatal error, or with nothing to do. */
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
      // The host shuts down in its own time, and may be killed before it is done.
      void within(ending.limit, ending.flush);
      hold.engage();
    });
  }
  atFatalError(hold, () => finish(ending.fatalLimit));
  beforeExit(ending, finish);
}

/**
 * Listens to a signal once, before all others: a listener that has been called already may have taken itself
 * away, and the process would seem to have none. By the time of the call, ours is not there any more either:
 * some listeners end the process only if they are the last.
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
      // Takes away the later one of two.
      if (isThere) process.removeListener(signal, first);
    });
  };
  process.on('newListener', stayFirst);
  process.prependListener(signal, first);
}

/**
 * At an error that nobody catches, the process lives until the flush is done, and then dies of that error,
 * whatever happens in between.
 */
function atFatalError(hold: Hold, finish: () => Promise<boolean>): void {
  let isEnding = false;
  process.prependListener('exit', () => {
    isEnding = true;
  });
  process.on('uncaughtExceptionMonitor', (error) => {
    if (isEnding || process.hasUncaughtExceptionCaptureCallback()) return;
    if (process.listenerCount('uncaughtException') > 0) {
      // The host decides. Where it decides at once to end, that end is preceded by a flush.
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

/** What follows from a fatal error is not reported: without us it would not have happened. */
function ignore(): void {}

/** Throws the error where nobody catches it, so that Node.js reports it and exits with its code. */
function dieOf(error: unknown, hold: Hold): void {
  hold.release();
  process.removeAllListeners('uncaughtException');
  // Those who monitor have seen it already.
  process.removeAllListeners('uncaughtExceptionMonitor');
  setImmediate(() => {
    throw error;
  });
}

/** Where the host has listeners of its own, more may come after them. */
function beforeExit({ flush, limit }: Ending, finish: () => Promise<boolean>): void {
  const isAlone = () => process.listenerCount('beforeExit') === 0;
  const end = async () => {
    const isDone = await finish();
    // Nothing is left but what we do, so when the limit is over nothing is waited for.
    if (!isDone && isAlone()) process.exit();
  };
  process.once('beforeExit', () => {
    if (isAlone()) return void end();
    process.once('beforeExit', () => void end());
    return void within(limit, flush);
  });
}

/**
 * Does the work, and waits for it no longer than the limit.
 *
 * @returns whether it was done in time; that it failed is nobody's concern any more
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
