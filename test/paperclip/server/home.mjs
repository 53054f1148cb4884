/** A home folder for one Paperclip server, owned by the user it runs as. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * PostgreSQL refuses to run as root, so root starts the server as `nobody`.
 *
 * @returns {{ uid?: number, gid?: number }} for `child_process`
 */
export function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const idOf = (/** @type {string} */ option) =>
    Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A fresh home: the server makes its database in it when it first boots. */
export class Home {
  folder = mkdtempSync(join(tmpdir(), 'paperclip-home-'));
  /** Where the provider plug-in makes leases, and where it logs its calls. */
  leases = join(this.folder, 'leases');
  calls = join(this.folder, 'calls.jsonl');
  #instance = join(this.folder, 'instances/default');

  constructor() {
    this.#give(this.folder);
    for (const folder of [this.leases, join(this.folder, 'instances'), this.#instance]) {
      mkdirSync(folder);
      this.#give(folder);
    }
  }

  /** Writes the server's configuration, on ports that are free now, and without what calls elsewhere. */
  async configure() {
    const [port, embeddedPostgresPort] = await Promise.all([freePort(), freePort()]);
    const config = {
      $meta: { version: 1, updatedAt: new Date().toISOString(), source: 'configure' },
      database: {
        mode: 'embedded-postgres',
        embeddedPostgresDataDir: join(this.#instance, 'db'),
        embeddedPostgresPort,
        backup: { enabled: false },
      },
      logging: { mode: 'file', logDir: join(this.#instance, 'logs') },
      server: { port, serveUi: false },
      telemetry: { enabled: false },
      updates: { checkEnabled: false },
    };
    const file = join(this.#instance, 'config.json');
    writeFileSync(file, JSON.stringify(config));
    this.#give(file);
    return { port };
  }

  /** The process of the server's PostgreSQL and its port, while it runs. */
  postgres() {
    const lines = readFileSync(join(this.#instance, 'db/postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]) };
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** @param {string} path */
  #give(path) {
    const { uid, gid } = unprivileged();
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

/** @returns {Promise<number>} a port that nothing listens on now */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
