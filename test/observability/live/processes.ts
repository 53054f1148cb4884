/** Servers as child processes, each on ports and in a folder of its own, ended with the test that started them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a server may take to end before it is killed, and how long one may take to answer. */
const END_MS = 10_000;
const ANSWER_MS = 60_000;
const POLL_MS = 200;
const OUTPUT_CHARS = 4000;

/** A process that was started. */
export interface Started {
  readonly child: ChildProcess;
  /** The last that it wrote, to both streams. */
  readonly output: () => string;
  /** Why it could not be started. */
  readonly failure: () => Error | undefined;
}

/** Everything that a test starts: `close` ends the processes, the last one first, and removes the folder. */
export class Servers {
  readonly folder = mkdtempSync(join(tmpdir(), 'observability-'));
  readonly #running: ChildProcess[] = [];

  /**
   * @param program a path, or a name that is looked up in PATH
   * @param env added to this process's variables
   */
  start(program: string, args: readonly string[], env: Record<string, string> = {}): Started {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.#running.push(child);
    let output = '';
    let failure: Error | undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-OUTPUT_CHARS);
      });
    }
    child.once('error', (error) => {
      failure = error;
    });
    return { child, output: () => output, failure: () => failure };
  }

  async close(): Promise<void> {
    for (const child of this.#running.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      child.kill('SIGTERM');
      const killing = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await once(child, 'exit');
      clearTimeout(killing);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until the address answers with success; throws with what the process wrote where it ends instead. */
export function answering({ child, output, failure }: Started, url: string): Promise<unknown> {
  return until(async () => {
    const reason = failure();
    if (reason) throw reason;
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended:\n${output()}`);
    return (await fetch(url).catch(() => undefined))?.ok;
  }, `an answer from ${url}`);
}

/**
 * Asks again and again until there is something to answer.
 *
 * @param ask what is falsy is no answer yet; what it throws ends the wait
 * @param what what is waited for, for the error
 * @param patience milliseconds
 */
export async function until<T>(
  ask: () => Promise<T> | T,
  what: string,
  patience = ANSWER_MS,
): Promise<NonNullable<T>> {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(POLL_MS)) {
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`waited ${patience / 1000} s in vain for ${what}`);
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
