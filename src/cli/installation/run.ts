/** Runs a command with a preload of this package, and passes signals on to it. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { keepFromChildren, urlOfEntry } from '../../attach/inheritance.js';
import { printableLine } from '../../base/text.js';

/** How a command ended, or why it did not start. */
export type Ended =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'failed'; readonly error: NodeJS.ErrnoException };

/**
 * Adds a preload to `NODE_OPTIONS`. `start` replaces `register`, and `register` is not added to `start`.
 *
 * @returns `NODE_OPTIONS` for the command
 */
export function withPreload(options = '', entry: 'register' | 'start'): string {
  const host = { env: { NODE_OPTIONS: options }, execArgv: [] };
  keepFromChildren(host);
  const others = host.env.NODE_OPTIONS;
  if (entry === 'register' && others !== options) return options;
  const preload = `--import=${urlOfEntry(entry)}`;
  return others.trim() === '' ? preload : `${others} ${preload}`;
}

/** Signals that a user or a supervisor sends to a process. Windows has only the first three. */
const FORWARDED: readonly NodeJS.Signals[] =
  process.platform === 'win32'
    ? ['SIGTERM', 'SIGHUP', 'SIGINT']
    : ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
/** A terminal sends these to the command, too. A second one would end Paperclip's server in the middle of its shutdown. */
const OF_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Runs a command with the streams of this process until it ends. Signals that are passed on do not end this process. */
export async function runChild(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Ended> {
  let passOn: (signal: NodeJS.Signals) => void = () => {};
  const listener = (signal: NodeJS.Signals) => {
    if (!OF_TERMINALS.includes(signal) || !isInForeground()) passOn(signal);
  };
  for (const signal of FORWARDED) process.on(signal, listener);
  try {
    return await new Promise((resolve) => {
      const child = start(command, args, env);
      let isStarted = false;
      child.once('spawn', () => {
        isStarted = true;
      });
      passOn = (signal) => child.kill(signal);
      child.on('error', (error: NodeJS.ErrnoException) => {
        if (!isStarted) resolve({ kind: 'failed', error });
        // A signal could not be sent, for example to a program of another user.
        else process.stderr.write(`${printableLine(`warning: ${command}: ${error.message}`)}\n`);
      });
      child.once('exit', (code, signal) =>
        resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }),
      );
    });
  } catch (error) {
    // `spawn` throws some errors, for example that the arguments are too long.
    return { kind: 'failed', error: error as NodeJS.ErrnoException };
  } finally {
    for (const signal of FORWARDED) process.removeListener(signal, listener);
  }
}

function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  // On Windows npx and the commands that npm installs are .cmd files, which only a shell starts.
  if (process.platform === 'win32' && !/\.(?:exe|com)$/i.test(command)) {
    const line = [command, ...args].map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');
    return spawn(line, { env, stdio: 'inherit', shell: true });
  }
  return spawn(command, args, { env, stdio: 'inherit' });
}

/** Whether the signals of a terminal reach this process, and with it the command. */
function isInForeground(): boolean {
  if (![0, 1, 2].some((descriptor) => isatty(descriptor))) return false;
  try {
    // proc(5): the name in brackets, then state, parent, group, session, terminal and the terminal's foreground group.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[2] === fields[5];
  } catch {
    // Only Linux has this file.
    return true;
  }
}
