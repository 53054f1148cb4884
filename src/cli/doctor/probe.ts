/** Probes: processes in which `doctor` tries things, so that nothing of it stays in its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withoutModules } from '../../attach/node-options.js';
import { type Env, list } from '../otel/environment.js';
import { cleanUpAtExit } from './cleanup.js';
import type { Message } from './probes/answer.js';

const HAS_GROUPS = process.platform !== 'win32';

export interface ProbeOptions {
  /** What the probe is told, as JSON by its standard input: other users can read the arguments of a process. */
  readonly input?: object;
  /** Options of Node.js itself. */
  readonly nodeArgs?: readonly string[];
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly cwd: string;
  /** Time limit, in milliseconds: the process is killed then. */
  readonly limit: number;
}

/** How a probe ended. */
export interface Probed<T> {
  /** What it passed to `answer`; nothing where it ended before. */
  readonly answer: T | undefined;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** How long to read on after a process has ended, in milliseconds: another one may keep its pipes open for ever. */
const GRACE = 500;

/**
 * Runs a probe with the Node.js that runs `doctor`. When it has answered, it and the processes that it started are killed.
 *
 * @param name of its file in `probes/`, without extension
 */
export function runProbe<T>(
  name: string,
  { input = {}, nodeArgs = [], env, cwd, limit }: ProbeOptions,
): Promise<Probed<T>> {
  const file = fileURLToPath(new URL(`./probes/${name}.js`, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeArgs, file], {
      // The user may have no permission to enter the current folder again.
      ...(cwd !== process.cwd() && { cwd }),
      env,
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      // A group of its own can be killed as a whole.
      detached: HAS_GROUPS,
    });
    // It may end before it has read.
    child.stdin?.on('error', () => {}).end(JSON.stringify(input));
    const kill = cleanUpAtExit(() => killGroup(child));
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
    // The whole group has ended.
  }
}

/** The line with the error that ended a process. Node.js prints lines of source code above it. */
export function errorLine(stderr: string): string | undefined {
  return /^\w*Error\b.*$/m.exec(stderr)?.[0];
}

/** The environment for a probe that tries an SDK: nothing is logged or loaded before, and no port is opened. */
export function quietEnvironment(env: Env): NodeJS.ProcessEnv {
  const readers = list(env, 'OTEL_METRICS_EXPORTER');
  const others = readers.filter((name) => name !== 'prometheus');
  const kept: NodeJS.ProcessEnv = { ...env };
  delete kept.OTEL_LOG_LEVEL;
  if (others.length < readers.length) kept.OTEL_METRICS_EXPORTER = others.join(',') || 'none';
  // A preload of the user's may start an SDK, too, and that one would be tried. That of Plug'n'Play finds all packages.
  if (env.NODE_OPTIONS !== undefined)
    kept.NODE_OPTIONS = withoutModules(env.NODE_OPTIONS, ({ specifier }) => !/\.pnp\.c?js$/.test(specifier));
  return kept;
}
