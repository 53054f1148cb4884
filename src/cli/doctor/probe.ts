/** Processes in which `doctor` tries things: what they do to themselves is nobody's business afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { undoing } from './undoing.js';

const HAS_GROUPS = process.platform !== 'win32';

export interface ProbeOptions {
  readonly args?: readonly string[];
  /** Options of Node.js itself. */
  readonly nodeArgs?: readonly string[];
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly cwd: string;
  /** Time limit, in milliseconds: the process is killed then. */
  readonly limit: number;
}

/** How a probe ended. */
export interface Probed<T> {
  /** What it gave to `answer`; nothing where it ended before. */
  readonly answer: T | undefined;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** The only message of a probe. Others on its channel may send theirs, such as tsx. */
export interface Message<T> {
  readonly answerOfProbe: T;
}

/** For what was written before the end of a process, where another one keeps its pipes open. In milliseconds. */
const GRACE = 500;

/**
 * Runs a probe with the Node.js that runs `doctor`. It is over with the answer: it and what it started are killed then.
 *
 * @param name of its file in `probes/`, without extension
 */
export function runProbe<T>(
  name: string,
  { args = [], nodeArgs = [], env, cwd, limit }: ProbeOptions,
): Promise<Probed<T>> {
  const file = fileURLToPath(new URL(`./probes/${name}.js`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeArgs, file, ...args], {
      // The user may be in a folder that may not be entered anew.
      ...(cwd !== process.cwd() && { cwd }),
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // A group of its own can be killed as a whole.
      detached: HAS_GROUPS,
    });
    const kill = undoing(() => killGroup(child));
    let answer: T | undefined;
    let timedOut = false;
    let stderr = '';
    let grace: NodeJS.Timeout | undefined;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, limit);
    const end = () => {
      clearTimeout(timer);
      kill();
      grace ??= setTimeout(finish, GRACE);
    };
    const finish = () => {
      clearTimeout(grace);
      child.stderr?.destroy();
      if (child.connected) child.disconnect();
      child.unref();
      resolve({ answer, stderr, timedOut });
    };
    child.on('message', (message: Partial<Message<T>>) => {
      if (message.answerOfProbe === undefined) return;
      answer = message.answerOfProbe;
      end();
    });
    child.on('error', (error) => {
      reject(error);
      end();
    });
    child.once('exit', end);
    child.once('close', finish);
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (HAS_GROUPS && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** The line that names the error by which a process ended; Node.js shows a line of source code above it. */
export function errorLine(stderr: string): string | undefined {
  return /^\w*Error\b.*$/m.exec(stderr)?.[0];
}
