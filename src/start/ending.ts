/**
 * Exports what is left when the process ends, within a limit, and lets it end as it would have: by the same
 * signal, with the same exit code and the same last words.
 */

/** What is to be done with telemetry before the process is gone. */
export interface Ending {
  /** Exports what there is; more may come. */
  flush(): Promise<void>;
  /** Exports what there is, for the last time. */
  shutdown(): Promise<void>;
  /** How long to wait for either, in milliseconds. */
  readonly limit: number;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** From now on the end of this process is preceded by a flush: by signal, at a fatal error, or with nothing to do. */
export function flushAtTheEnd({ flush, shutdown, limit }: Ending): void {
  let last: Promise<void> | undefined;
  const finish = () => {
    last ??= within(limit, shutdown);
    return last;
  };

  for (const signal of SIGNALS) {
    const onSignal = () => {
      // Others are to find the listeners that would be there without us: some end the process only if theirs is the last.
      process.removeListener(signal, onSignal);
      if (process.listenerCount(signal) === 0) {
        void finish().then(() => process.kill(process.pid, signal));
        return;
      }
      // The host shuts down in its own time, and may be killed before it is done.
      void within(limit, flush);
      holdExit(finish);
    };
    process.on(signal, onSignal);
  }

  process.once('beforeExit', () => void finish());

  process.on('uncaughtExceptionMonitor', function onFatal(): void {
    if (process.listenerCount('uncaughtException') > 0) {
      holdExit(finish);
      return;
    }
    process.removeListener('uncaughtExceptionMonitor', onFatal);
    // Its being there keeps the process alive for as long as the flush takes.
    process.once('uncaughtException', (error) => void finish().then(() => dieOf(error)));
  });
}

/** `process.exit` and a signal to oneself take effect when all is exported. */
function holdExit(finish: () => Promise<void>): void {
  if (isHeld) return;
  isHeld = true;
  const { exit, kill } = process;
  const release = () => Object.assign(process, { exit, kill });
  process.exit = ((code) => {
    if (code !== undefined && code !== null) process.exitCode = code;
    void finish().then(() => {
      release();
      process.exit();
    });
  }) as typeof exit;
  process.kill = (pid, signal) => {
    const isOwnEnd = pid === process.pid && SIGNALS.some((name) => name === signal);
    if (!isOwnEnd || process.listenerCount(signal as string) > 0) return kill.call(process, pid, signal);
    void finish().then(() => {
      release();
      process.kill(pid, signal);
    });
    return true;
  };
}
let isHeld = false;

/** Throws the error where nobody catches it, as it was thrown before, so that Node.js reports it and exits with its code. */
function dieOf(error: unknown): void {
  const { emit } = process;
  // Those who monitor have seen it already.
  process.emit = ((event: string, ...args: unknown[]) =>
    event === 'uncaughtExceptionMonitor'
      ? false
      : Reflect.apply(emit, process, [event, ...args])) as typeof emit;
  setImmediate(() => {
    throw error;
  });
}

/** Does the work, and waits for it no longer than the limit. That it failed is nobody's concern any more. */
async function within(limit: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limit);
  });
  try {
    await Promise.race([work(), timeout]);
  } catch {
    // The SDK has said through `diag` what failed.
  } finally {
    clearTimeout(timer);
  }
}
