import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifest, tree } from '../../support/tree.js';
import { httpServer } from './collectors.js';

const COMMAND = resolve('dist/cli/main.js');
const FOLDER = 'node_modules/@paperclipai/server';

const DRIVER = `
const driver = { async openDuplexChannel() { throw new Error(); } };
export const environmentRuntimeService = () => ({ getDriver: () => driver });
`;

/** Processes of probes connect to it: a connection ends with its process. */
let server: Server;
let port: number;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.close();
});

async function connection(): Promise<Socket> {
  const [socket]: Socket[] = await once(server, 'connection');
  if (socket === undefined) throw new Error('no connection');
  return socket.on('error', () => {}).resume();
}

async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}

/** Starts `doctor` on a server with this runtime. */
function start(runtime: string) {
  const root = tree({
    'package.json': manifest('project'),
    [`${FOLDER}/package.json`]: manifest('@paperclipai/server'),
    [`${FOLDER}/dist/services/environment-runtime.js`]: runtime,
  });
  const TMPDIR = join(root, 'tmp');
  mkdirSync(TMPDIR);
  const doctor = spawn(process.execPath, [COMMAND, 'doctor', '-p', 'register'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, TMPDIR, OTEL_TRACES_EXPORTER: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  doctor.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const ended = once(doctor, 'close').then(([code, signal]) => ({ code, signal, stdout }));
  return { doctor, ended, left: () => readdirSync(TMPDIR) };
}

/** Starts a process that is connected, has this process's pipes and does not end. */
function child(options: string): string {
  const code = `const socket = require('net').connect(${port}, '127.0.0.1', () => process.stdout.write('.')); socket.on('close', process.exit);`;
  return `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
const child = spawn(process.execPath, ['-e', ${JSON.stringify(code)}], { stdio: ['ignore', 'pipe', 'inherit'], ${options} });
await once(child.stdout, 'data');
child.unref();
`;
}

describe('a process that a preload or the server starts, and that has its pipes', () => {
  it('ends with the probe', async () => {
    const connected = connection();
    const { ended } = start(child('') + DRIVER);
    await closed(await connected);
    expect((await ended).stdout).toMatch(/✓ Hook +attached to /);
  });

  it.runIf(process.platform !== 'win32')('keeps nobody waiting, where it left the group', async () => {
    const connected = connection();
    const { ended } = start(child('detached: true') + DRIVER);
    const socket = await connected;
    expect((await ended).stdout).toMatch(/✓ Hook +attached to /);
    expect(socket.closed).toBe(false);
    socket.destroy();
  });
});

describe('a probe that is not done', () => {
  const hanging = () => `
import { connect } from 'node:net';
connect(${port}, '127.0.0.1');
await new Promise(() => {});
`;

  it.runIf(process.platform !== 'win32').each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'ends where %s ends the command, and leaves nothing behind',
    async (signal) => {
      const connected = connection();
      const { doctor, ended, left } = start(hanging());
      const socket = await connected;
      expect(left()).toHaveLength(1);
      doctor.kill(signal);
      expect(await ended).toMatchObject({ code: null, signal });
      await closed(socket);
      expect(left()).toEqual([]);
    },
  );

  it('ends where the command is killed', async () => {
    const connected = connection();
    const { doctor, ended } = start(hanging());
    const socket = await connected;
    doctor.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    await closed(socket);
  });
});

it('a collector that answers has answered, however long the next protocol takes to load', async () => {
  const collector = httpServer().listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const limit = 1_000;
  const code = {
    'exporter-trace-otlp-http': `
const http = require('node:http');
exports.OTLPTraceExporter = class {
  constructor(options) { this.url = options.url; }
  export(_, done) {
    const request = http.request(this.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    request.on('response', (response) => response.resume().on('end', () => done({ code: 0 }))).end();
  }
};`,
    'exporter-trace-otlp-grpc': `
exports.OTLPTraceExporter = class {
  export(_, done) { require('@opentelemetry/otlp-grpc-exporter-base'); done({ code: 0 }); }
};`,
    'otlp-grpc-exporter-base': "require('@grpc/grpc-js');",
    'sdk-node': '',
  };
  const from = tree({
    'package.json': manifest('project'),
    // As on a busy machine.
    'node_modules/@grpc/grpc-js/index.js': `const end = Date.now() + ${2 * limit}; while (Date.now() < end);`,
    ...Object.fromEntries(
      Object.entries(code).map(([name, text]) => [`node_modules/@opentelemetry/${name}/index.js`, text]),
    ),
  });
  const { runProbe } = await import(pathToFileURL(resolve('dist/cli/doctor/probe.js')).href);
  const url = `http://127.0.0.1:${port}/v1/traces`;
  const attempts = [
    { signal: 'traces', protocol: 'http/json', url },
    { signal: 'traces', protocol: 'grpc', url },
  ];
  const options = { input: { from, attempts, limit }, env: process.env, cwd: from, limit: 60_000 };
  const { answer } = await runProbe('export', options);
  collector.close();
  expect(answer).toMatchObject([{ isDone: true }, { isDone: true }]);
});
