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
  readonly stdout: string;
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
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let answer: T | undefined;
    let timedOut = false;
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        output[stream] += text;
      });
    }
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, limit);
    child.on('message', (message: Partial<Message<T>>) => {
      if (message.answerOfProbe !== undefined) answer = message.answerOfProbe;
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', () => {
      clearTimeout(timer);
      resolve({ answer, ...output, timedOut });
    });
  });
}

/** The line that names the error by which a process ended; Node.js shows a line of source code above it. */
export function errorLine(stderr: string): string | undefined {
  return /^\w*Error\b.*$/m.exec(stderr)?.[0];
}
