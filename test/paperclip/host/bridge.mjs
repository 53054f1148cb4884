/**
 * What stands around the real sandbox callback bridge: a sandbox whose commands run in a local shell, its
 * gateway at the other end of a duplex channel, the API that requests are forwarded to, and a recorder.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:http2';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  DUPLEX_FRAME_VERSION,
  encodeDuplexFrame,
} from '../node_modules/@paperclipai/adapter-utils/dist/duplex-frame-codec.js';

/** A worker's answer to `environmentExecute`: runs the command here. */
export async function executeLocally({ command, args = [], cwd, env, stdin }) {
  const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH, ...env } });
  // A command need not read what it is given.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const exited = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [exitCode, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { exitCode, signal: null, timedOut: false, stdout, stderr };
}

/**
 * The gateway that the bridge launches in the sandbox: it says that it is ready and speaks HTTP/2 with the host.
 * `open` is a worker's answer to `duplexChannelOpen`.
 */
export function sandboxGateway() {
  const bytes = { transmit: 0, receive: 0 };
  const [host, sandbox] = duplexPair();
  let token;
  let session;
  let resolveExited;
  const exited = new Promise((resolve) => {
    resolveExited = resolve;
  });
  const exit = (how) => {
    // What has ended says nothing more.
    host.destroy();
    sandbox.destroy();
    resolveExited(how);
  };

  function open({ command }) {
    const launched = (name) => new RegExp(`PAPERCLIP_BRIDGE_${name}='([^']*)'`).exec(command.join(' '))[1];
    token = launched('TOKEN');
    const nonce = launched('NONCE');
    sandbox.write(encodeDuplexFrame({ version: DUPLEX_FRAME_VERSION, type: 'ready', nonce }));
    session = connect('http://bridge.invalid', { createConnection: () => sandbox });
    session.on('error', () => {});
    return {
      onData: (listener) =>
        host.on('data', (chunk) => {
          bytes.receive += chunk.byteLength;
          listener(chunk);
        }),
      write: (data) => {
        bytes.transmit += data.byteLength;
        if (!host.destroyed) host.write(data);
      },
      wait: () => exited,
      kill: () => exit({ exitCode: null }),
      close: async () => exit({ exitCode: null, transportClosed: true }),
    };
  }

  /** What an agent in the sandbox asks of Paperclip's API. */
  async function request(path) {
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}` });
    const answered = new Promise((resolve) => {
      stream.once('response', resolve);
    });
    const [headers, body] = await Promise.all([answered, text(stream)]);
    return { status: headers[':status'], body };
  }

  return { open, request, bytes, exit: () => exit({ exitCode: 1 }) };
}

/** Stands in for Paperclip's API, and notes what it is asked. */
export async function startApi() {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end('hello');
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Paperclip's own recorder of duplex channels: everything that it is told, in order. Times are left out. */
export function duplexRecorder() {
  const recorded = [];
  const note = (method) => (record) => {
    const { latencyMs, ...others } = record;
    recorded.push([method, latencyMs === undefined ? others : { ...others, latencyMs: typeof latencyMs }]);
  };
  const methods = ['recordSpan', 'incrementCounter', 'emitEvent'];
  return { recorded, recorder: Object.fromEntries(methods.map((method) => [method, note(method)])) };
}
