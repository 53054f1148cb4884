/** Processes in which `doctor` tries things: what they do to themselves is nobody's business afterwards. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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

/**
 * Runs a probe with the Node.js that runs `doctor`.
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
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let answer: T | undefined;
    let timedOut = false;
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const kill = () => child.kill('SIGKILL');
    // No probe outlives `doctor`, which may end early.
    process.prependListener('exit', kill);
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, limit);
    const release = () => {
      clearTimeout(timer);
      process.removeListener('exit', kill);
    };
    child.on('message', (message: Partial<Message<T>>) => {
      if (message.answerOfProbe !== undefined) answer = message.answerOfProbe;
    });
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('close', () => {
      release();
      resolve({ answer, stderr, timedOut });
    });
  });
}

/** The line that names the error by which a process ended; Node.js shows a line of source code above it. */
export function errorLine(stderr: string): string | undefined {
  return /^\w*Error\b.*$/m.exec(stderr)?.[0];
}
