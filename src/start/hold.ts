/** Delays an end that the process asks for itself until something is done. */
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';

/** The signals that ask a process to end. */
export const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
export type Signal = (typeof SIGNALS)[number];

/** The listeners of a signal, with those that a launcher such as tsx hides from `process`. */
export function listenersOf(signal: Signal): unknown[] {
  return EventEmitter.prototype.rawListeners.call(process, signal);
}

/**
 * While it is engaged, `process.exit` returns, and so does a deadly signal to the own process. The first of them counts,
 * because the process would have ended by it.
 */
export class Hold {
  #restore: (() => void) | undefined;
  #isTaken = false;

  /** @param onEnd called with a function that ends the process as was asked */
  constructor(private readonly onEnd: (end: () => void) => void) {}

  /** Whether an end has been asked for. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** @returns whether it was not engaged before */
  engage(): boolean {
    if (this.#restore !== undefined) return false;
    const { exit, kill } = process;
    const replace = (replacement: Pick<NodeJS.Process, 'exit' | 'kill'>) => {
      try {
        Object.assign(process, replacement);
      } catch {
        // The host has made them read-only.
      }
      syncBuiltinESMExports();
    };
    this.#restore = () => replace({ exit, kill });
    replace({
      exit: ((...args: Parameters<typeof exit>) => {
        const code = args.length > 0 ? args[0] : process.exitCode;
        this.take(() => exit.call(process, code));
      }) as typeof exit,
      kill: (pid, signal) => {
        const name = SIGNALS.find(
          (each) => each === (signal ?? 'SIGTERM') || constants.signals[each] === signal,
        );
        // The first process of a container survives it.
        const isDeadly =
          pid === process.pid && pid !== 1 && name !== undefined && listenersOf(name).length === 0;
        if (!isDeadly) return kill.call(process, pid, signal);
        this.take(() => kill.call(process, pid, signal));
        return true;
      },
    });
    return true;
  }

  /**
   * The process ends in this way.
   *
   * @param end ends it
   */
  take(end: () => void): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    this.engage();
    this.onEnd(() => {
      this.release();
      end();
    });
  }

  /** From now on the process cannot ask for its end. */
  refuse(): void {
    this.#isTaken = true;
    this.engage();
  }

  release(): void {
    this.#restore?.();
    this.#restore = undefined;
  }
}
