/**
 * Everything a test of the real server needs: a home, a collector, and in the server a company that has the
 * provider plug-in of this workspace.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { Home } from './home.mjs';
import { Paperclip, type Run } from './paperclip.js';
import { Receiver } from './receiver.js';
import { type Server, type StartOptions, startServer } from './server.mjs';

/** The preloads of this package. */
export const REGISTER = 'opentelemetry-instrumentation-paperclip/register';
export const START = 'opentelemetry-instrumentation-paperclip/start';

/** OpenTelemetry's own loader hook, without which its instrumentations do not see ES modules. */
export const ESM_HOOK = './server/esm-hook.mjs';

/** The provider plug-in, and the key of the environments it serves. */
const PROVIDER = join(import.meta.dirname, '../provider');
export const PROVIDER_KEY = 'folders';

/** The command line of every agent. */
const AGENT = join(import.meta.dirname, 'agent.sh');

/** A row of Paperclip's table of leases. */
export interface LeaseRow {
  id: string;
  environment_id: string;
  status: string;
}

/** A call that the plug-in received. */
export interface Call {
  hook: string;
  pid: number;
  environmentId: string;
  providerLeaseId: string | null;
  /** What the environment of a command says of its trace. */
  traceparent?: string;
}

export class Site {
  readonly receiver: Receiver;
  readonly #home = new Home();
  #server: Server | undefined;
  #companyId: string | undefined;

  private constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  static async create(): Promise<Site> {
    return new Site(await Receiver.start());
  }

  /** Starts the server; on the first time with the plug-in and the company, which later ones find there. */
  async boot(options: Omit<StartOptions, 'home'> = {}): Promise<Server> {
    this.#server = await startServer({ home: this.#home, ...options });
    if (this.#companyId === undefined) {
      await this.paperclip.installPlugin(PROVIDER);
      this.#companyId = (await this.paperclip.createCompany('Test')).id;
    }
    return this.#server;
  }

  /** The same behind the preload that brings an SDK along, with this collector, and the plug-in's provider by name. */
  bootWithSdk(env: Record<string, string> = {}): Promise<Server> {
    const named = { OTEL_INSTRUMENTATION_PAPERCLIP_PROVIDERS: PROVIDER_KEY };
    return this.boot({ preloads: [START], env: { ...this.receiver.envBySignal, ...named, ...env } });
  }

  get paperclip(): Paperclip {
    return new Paperclip(this.#running.url);
  }

  get companyId(): string {
    if (this.#companyId === undefined) throw new Error('boot the server first');
    return this.#companyId;
  }

  /** An environment of the plug-in, that misbehaves as `provider/misbehave.js` says. */
  async createEnvironment(name: string, misbehave: Record<string, string> = {}): Promise<string> {
    return (await this.paperclip.createSandbox(this.companyId, name, this.#config(misbehave))).id;
  }

  /** From now on it misbehaves in that way. */
  async changeEnvironment(environmentId: string, misbehave: Record<string, string>): Promise<void> {
    await this.paperclip.changeConfig(environmentId, this.#config(misbehave));
  }

  probe(environmentId: string) {
    return this.paperclip.probe(this.companyId, environmentId);
  }

  testAgent(environmentId: string) {
    return this.paperclip.testAgent(this.companyId, environmentId, AGENT);
  }

  async createAgent(environmentId: string): Promise<string> {
    return (await this.paperclip.createAgent(this.companyId, environmentId, 'Agent', AGENT)).id;
  }

  /** Runs a new agent in the environment. */
  async run(environmentId: string): Promise<Run> {
    return this.paperclip.run(await this.createAgent(environmentId));
  }

  /** Starts a run of a new agent in the environment, and cancels it while the plug-in is in this call. */
  async cancelledRun(environmentId: string, hook: string): Promise<Run> {
    return await this.paperclip.cancel(await this.runUntil(environmentId, hook));
  }

  /** Starts a run of a new agent in the environment, and waits until the plug-in is in this call. */
  async runUntil(environmentId: string, hook: string): Promise<string> {
    const agent = await this.paperclip.createAcpAgent(this.companyId, environmentId, 'ACP agent', 'sh');
    const { id } = await this.paperclip.start(agent.id);
    const isReached = () =>
      this.calls().some((call) => call.hook === hook && call.environmentId === environmentId);
    while (!isReached()) await delay(20);
    return id;
  }

  /**
   * Leaves a lease of each issue behind, as Paperclip does when a teardown fails, but without its provider. Waits until
   * the server's sweep has tried to tear them down.
   */
  async leaveLeases(environmentId: string, issueIds: readonly string[]): Promise<void> {
    await this.database(async (sql) => {
      for (const issueId of issueIds)
        await sql`
          insert into environment_leases
            (company_id, environment_id, issue_id, status, cleanup_status, metadata, updated_at)
          values (${this.companyId}, ${environmentId}, ${issueId}, 'pending_cleanup', 'failed',
            ${sql.json({ driver: 'sandbox', sandboxProviderPlugin: true })}, now() - interval '1 hour')`;
      for (;;) {
        const left = await sql`
          select id from environment_leases
          where status = 'pending_cleanup' and updated_at < now() - interval '30 minutes'`;
        if (left.length === 0) return;
        await delay(100);
      }
    });
  }

  /** Ends what is left of the server. */
  async end(): Promise<void> {
    await this.#server?.kill();
  }

  /** The calls that the plug-in's workers have received, oldest first. */
  calls(): Call[] {
    if (!existsSync(this.#home.calls)) return [];
    const lines = readFileSync(this.#home.calls, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  /**
   * Paperclip's own table of leases, oldest first, once none is in use: the server releases that of an agent's test
   * after it has answered.
   */
  async leaseRows(): Promise<LeaseRow[]> {
    return await this.database(async (sql) => {
      for (;;) {
        const rows = await sql<LeaseRow[]>`
          select id, environment_id, status from environment_leases order by created_at`;
        if (rows.every(({ status }) => status !== 'active')) return rows;
        await delay(20);
      }
    });
  }

  /** Ends all that still runs and removes its folders. */
  async close(): Promise<void> {
    await this.end();
    await this.receiver.close();
    await this.#home.remove();
  }

  /** Does something with the server's own database, or with another one of its PostgreSQL. */
  async database<T>(use: (sql: postgres.Sql) => Promise<T>, name = 'paperclip'): Promise<T> {
    const { port } = this.#home.postgres();
    const sql = postgres(`postgres://paperclip:paperclip@127.0.0.1:${port}/${name}`, { onnotice() {} });
    try {
      return await use(sql);
    } finally {
      await sql.end();
    }
  }

  #config(misbehave: Record<string, string>): object {
    const { leases, calls } = this.#home;
    return { provider: PROVIDER_KEY, folder: leases, calls, misbehave };
  }

  get #running(): Server {
    if (this.#server === undefined) throw new Error('boot the server first');
    return this.#server;
  }
}
