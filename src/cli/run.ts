/** Runs a command with a preload of this package, and passes signals on. */
import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import { keepFromChildren } from '../attach/inheritance.js';

/** How a command ended, or why it did not start. */
export type Ended =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'failed'; readonly error: NodeJS.ErrnoException };

/**
 * Adds a preload to `NODE_OPTIONS`, unless one is there that does at least as much.
 *
 * @param options `NODE_OPTIONS` as it is
 * @param entry the preload that is wanted; `start` takes the place of `register`
 * @returns `NODE_OPTIONS` for the command
 */
export function withPreload(options = '', entry: 'register' | 'start'): string {
  const host = { env: { NODE_OPTIONS: options }, execArgv: [] };
  keepFromChildren(host);
  const others = host.env.NODE_OPTIONS;
  if (entry === 'register' && others !== options) return options;
  // A file's URL has no space, quote or backslash, all of which mean something in NODE_OPTIONS.
  const preload = `--import=${new URL(`../${entry}.js`, import.meta.url).href}`;
  return others.trim() === '' ? preload : `${others} ${preload}`;
}

/** Runs a command on the streams of this process until it ends. Signals that are passed on do not end this process. */
export async function runChild(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Ended> {
  // A terminal sends SIGINT to the command as well, and a second one ends Paperclip's server in the middle of its shutdown.
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT'];
  const isSentByTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  let passOn: (signal: NodeJS.Signals) => void = () => {};
  const listener = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' || !isSentByTerminal) passOn(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  try {
    return await new Promise((resolve) => {
      const child = start(command, args, env);
      passOn = (signal) => child.kill(signal);
      child.once('error', (error: NodeJS.ErrnoException) => resolve({ kind: 'failed', error }));
      child.once('exit', (code, signal) =>
        resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }),
      );
    });
  } catch (error) {
    // Some errors are thrown at once, such as that of too long arguments.
    return { kind: 'failed', error: error as NodeJS.ErrnoException };
  } finally {
    for (const signal of signals) process.removeListener(signal, listener);
  }
}

function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  // On Windows npx and all commands that npm installs are .cmd files, which only a shell starts.
  if (process.platform === 'win32' && !/\.(?:exe|com)$/i.test(command)) {
    const line = [command, ...args].map((word) => `"${word.replaceAll('"', '""')}"`).join(' ');
    return spawn(line, { env, stdio: 'inherit', shell: true });
  }
  return spawn(command, args, { env, stdio: 'inherit' });
}
