/** A reader of README: a folder, a home, and terminals in which commands are typed as they stand there. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, Home, unprivileged } from './home.mjs';
import { SERVER_NODE } from './server.mjs';

/** How long something may take to be printed or to end before it counts as never. */
const PATIENCE_MS = 90_000;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A line of shell that runs. */
export class Session {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;

  constructor(line: string, cwd: string, env: NodeJS.ProcessEnv, user: object) {
    // In a group of its own, by which all of it can be ended.
    this.#child = spawn('sh', ['-c', line], {
      cwd,
      env,
      ...user,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  /** Waits until it is so. */
  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    const began = performance.now();
    while (!(await isSo())) {
      const hasEnded = this.#child.exitCode !== null || this.#child.signalCode !== null;
      if (hasEnded || performance.now() - began > PATIENCE_MS)
        throw new Error(`${hasEnded ? 'it ended' : 'it took too long'}:\n${this.stdout}\n${this.stderr}`);
      await delay(50);
    }
  }

  /** Sends a signal to its first process alone, as Docker does. */
  signalFirst(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal to all of its processes, as a terminal does. */
  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // Nothing is left of it.
    }
  }
}

export class Reader {
  /** Where the commands are typed. */
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'readme-')));
  /** The port that its server has in place of 3100. */
  readonly port: number;
  readonly #home = new Home();
  readonly #sessions: Session[] = [];

  private constructor(port: number) {
    this.port = port;
    // The user that the server runs as reads it.
    chmodSync(this.folder, 0o755);
  }

  static async create(): Promise<Reader> {
    return new Reader(await freePort());
  }

  /** Types a line as the user that runs the server, in a terminal of its own. */
  type(line: string, folder = this.folder): Session {
    return this.#open(
      line,
      folder,
      {
        HOME: this.#home.folder,
        PAPERCLIP_HOME: this.#home.folder,
        PORT: String(this.port),
        // Nobody is called: neither by npx, which finds all that it starts here, nor by Paperclip.
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        PAPERCLIP_TELEMETRY_DISABLED: '1',
        PAPERCLIP_UPDATE_CHECK: '0',
        PAPERCLIP_ANNOUNCEMENTS_ENABLED: 'false',
      },
      unprivileged(),
    );
  }

  /** Types a line that installs something, with the settings of whoever runs the tests. */
  install(line: string): Promise<Ended> {
    return this.#open(line, this.folder, process.env, {}).ended;
  }

  /** Waits until the session's server has started. */
  async ready(session: Session): Promise<void> {
    await session.until(async () => {
      try {
        const health = await fetch(`http://127.0.0.1:${this.port}/api/health`);
        return ((await health.json()) as { status: string }).status === 'ok';
      } catch {
        return false;
      }
    });
  }

  /** Ends the session's server, and tells how the session ended. */
  async stop(session: Session): Promise<Ended> {
    // To the server alone, which started PostgreSQL: npx keeps a SIGTERM to itself.
    const parent = execFileSync('ps', ['-o', 'ppid=', '-p', String(this.#home.postgres().pid)]);
    process.kill(Number(parent), 'SIGTERM');
    return session.ended;
  }

  /** Ends all that still runs, and removes its folders. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.signal('SIGKILL');
    await Promise.all(this.#sessions.map(({ ended }) => ended));
    rmSync(this.folder, { recursive: true, force: true });
    await this.#home.remove();
  }

  #open(line: string, folder: string, env: NodeJS.ProcessEnv, user: object): Session {
    const PATH = `${dirname(SERVER_NODE)}${delimiter}${process.env.PATH}`;
    const session = new Session(line, folder, { ...env, PATH }, user);
    this.#sessions.push(session);
    return session;
  }
}
