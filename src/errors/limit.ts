/**
 * Work under a limit of time. Matching a regular expression can take for ever on a short text, and only V8 can
 * interrupt it, on behalf of `vm`. Node.js starts a thread to watch the time, which costs 0.1 to 0.3 ms.
 */
import { type Context, createContext, Script } from 'node:vm';

/** How long the patterns of operators' records may take for one failure, in milliseconds. */
export const LIMIT_MS = 3;
/**
 * On a busy machine the time can pass while the process does not run. So work that was interrupted is begun again, until the
 * process has had more time than one attempt can take.
 */
const PROCESSOR_LIMIT_MS = 1.5 * LIMIT_MS;
const MAX_ATTEMPTS = 10;

const NOTHING = (): void => {};
let work = NOTHING;
let script: Script | undefined;
let context: Context | undefined;

/**
 * Does work that can take for ever.
 *
 * @param task plain computing; it calls nothing of the host, because it can be interrupted anywhere
 * @returns whether the work was done; if not, it takes longer than {@link LIMIT_MS}
 * @throws what the work throws
 */
export function finishes(task: () => void): boolean {
  // A context of its own, so that the script finds the work and the host's globals stay as they are.
  context ??= createContext({ run: () => work() });
  script ??= new Script('run()');
  work = task;
  const before = process.cpuUsage();
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      try {
        script.runInContext(context, { timeout: LIMIT_MS });
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
          throw error;
      }
      const { user, system } = process.cpuUsage(before);
      if (user + system > PROCESSOR_LIMIT_MS * 1000) return false;
    }
    return false;
  } finally {
    // It holds the host's error.
    work = NOTHING;
  }
}
