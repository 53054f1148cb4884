/** Starts and stops the real Paperclip server, with its own PostgreSQL. Plain JavaScript: `bench/boot` uses it. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { unprivileged } from './home.mjs';

const WORKSPACE = fileURLToPath(new URL('..', import.meta.url));
const ENTRY = join(WORKSPACE, 'node_modules/@paperclipai/server/dist/index.js');

/** The Node.js that the workspace brings along, which is the server's own. */
export const SERVER_NODE = join(WORKSPACE, 'node_modules/node/bin/node');

/** How long a server may take to boot or to end before it is killed. */
const PATIENCE_MS = 60_000;

/**
 * @typedef {object} StartOptions
 * @property {import('./home.mjs').Home} home
 * @property {readonly string[]} [preloads] modules to `--import`
 * @property {Record<string, string>} [env] variables beside those that the server needs
 * @property {string} [node] the Node.js to run it on
 * @property {string} [log] a file for all that it prints, which `output` then knows nothing of
 */

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, ms: number }} Exit */

/** A server that runs. */
export class Server {
  #child;
  #home;
  /** @type {Promise<Exit>} */
  #exit;
  #output = '';
  #stopping = 0;

  /**
   * @param {StartOptions} options
   * @param {number} port
   */
  constructor({ home, preloads = [], env = {}, node = SERVER_NODE, log }, port) {
    this.#home = home;
    this.url = `http://127.0.0.1:${port}`;
    const args = [...preloads.flatMap((preload) => ['--import', preload]), ENTRY];
    const printed = log === undefined ? 'pipe' : openSync(log, 'a');
    this.#child = spawn(node, args, {
      ...unprivileged(),
      cwd: WORKSPACE,
      stdio: ['ignore', printed, printed],
      env: {
        // Nothing else of the environment that this runs in: it may hold variables of OpenTelemetry.
        PATH: process.env.PATH ?? '',
        HOME: home.folder,
        PAPERCLIP_HOME: home.folder,
        PAPERCLIP_MIGRATION_PROMPT: 'never',
        PAPERCLIP_MIGRATION_AUTO_APPLY: 'true',
        PAPERCLIP_ANNOUNCEMENTS_ENABLED: 'false',
        // Agents get tokens for its API that are signed with it.
        PAPERCLIP_AGENT_JWT_SECRET: 'a secret of this home alone',
        ...env,
      },
    });
    if (typeof printed === 'number') closeSync(printed);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        this.#output += text;
      });
    }
    this.#exit = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('exit', (code, signal) => {
        resolve({ code, signal, ms: performance.now() - this.#stopping });
      });
    });
  }

  get pid() {
    if (this.#child.pid === undefined) throw new Error('the server did not start');
    return this.#child.pid;
  }

  /** What the server has printed so far. */
  get output() {
    return this.#output;
  }

  /** How it ends, once it does. */
  get ended() {
    return this.#exit;
  }

  get hasEnded() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What the health check says: `starting`, `ok`, or nothing as long as nobody listens. */
  async health() {
    try {
      const { status } = /** @type {{ status: string }} */ (
        await (await fetch(`${this.url}/api/health`)).json()
      );
      return status;
    } catch {
      return undefined;
    }
  }

  /** Sends the signal, and tells how the server ended and how long that took. */
  async stop(/** @type {NodeJS.Signals} */ signal = 'SIGTERM') {
    this.#stopping = performance.now();
    this.#child.kill(signal);
    const patience = new AbortController();
    const late = delay(PATIENCE_MS, 'late', { signal: patience.signal, ref: false }).catch(() => 'late');
    const exit = await Promise.race([this.#exit, late]);
    patience.abort();
    if (typeof exit !== 'string') return exit;
    await this.kill();
    throw new Error(`the server did not end within ${PATIENCE_MS} ms of ${signal}:\n${this.#output}`);
  }

  /** Ends whatever still runs, and its PostgreSQL, at once. */
  async kill() {
    this.#child.kill('SIGKILL');
    await this.#exit.catch(() => {});
    try {
      process.kill(this.#home.postgres().pid, 'SIGQUIT');
    } catch {
      return; // The server has stopped it.
    }
    while (this.#isPostgresRunning()) await delay(20);
  }

  #isPostgresRunning() {
    try {
      return process.kill(this.#home.postgres().pid, 0);
    } catch {
      return false;
    }
  }
}

/**
 * Starts a server and waits until it is ready. It listens before that, and a signal would then end it as it ends
 * any process.
 *
 * @param {StartOptions} options
 * @returns {Promise<Server & { listenMs: number }>} with the time from its start until it listened
 */
export async function startServer(options) {
  const { port } = await options.home.configure();
  const began = performance.now();
  const server = new Server(options, port);
  let listenMs = 0;
  for (;;) {
    const status = await server.health();
    if (status !== undefined) listenMs ||= performance.now() - began;
    if (status === 'ok') return Object.assign(server, { listenMs });
    if (server.hasEnded || performance.now() - began > PATIENCE_MS) {
      await server.kill();
      throw new Error(`the server did not boot:\n${server.output}`);
    }
    await delay(10);
  }
}
