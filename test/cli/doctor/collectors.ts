/** Servers that answer exports, as collectors and others do. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http, { type RequestListener, type Server } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import net from 'node:net';
import { join } from 'node:path';
import { afterEach } from 'vitest';

const open: { server: NetServer; sockets: Set<Socket> }[] = [];
afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  }
});

/** @returns its port on 127.0.0.1 */
export async function listening(server: NetServer, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  open.push({ server, sockets });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', done);
  });
  return (server.address() as AddressInfo).port;
}

/**
 * A port of 127.0.0.1 on which nothing listens. A client's connection is from there, so that nobody else gets it.
 *
 * @returns what gives it up, for a server of ours, too
 */
export async function closedPort(): Promise<{ port: number; free: () => Promise<unknown> }> {
  const server = net.createServer((socket) => socket.on('error', () => {}));
  const client = net.connect(await listening(server), '127.0.0.1');
  await once(client, 'connect');
  const free = () => {
    client.resetAndDestroy();
    return once(client, 'close');
  };
  return { port: client.localPort as number, free };
}

const PATHS = ['/v1/traces', '/v1/metrics', '/v1/logs'];

/** Answers as a collector does over HTTP. */
export const otlp: RequestListener = ({ url, headers }, response) => {
  const type = headers['content-type'] ?? '';
  response.setHeader('content-type', type);
  response
    .writeHead(PATHS.includes(url ?? '') ? 200 : 404)
    .end(type === 'application/json' ? '{}' : undefined);
};

export function httpServer(listener: RequestListener = otlp): Server {
  return http.createServer(listener);
}

/** An authority of its own, as a company has one. */
export function certificate(folder: string): { key: Buffer; cert: Buffer; file: string } {
  const file = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', file, ...subject],
    {
      stdio: 'ignore',
    },
  );
  return { key: readFileSync(key), cert: readFileSync(file), file };
}

export function httpsServer(options: https.ServerOptions, listener: RequestListener = otlp): NetServer {
  return https.createServer(options, listener);
}

/** Answers every call with a status of gRPC: 0 is done. */
export function grpcServer(status = 0): NetServer {
  const server = http2.createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status, 'grpc-message': 'said' }));
    // An answer without content.
    stream.end(status === 0 ? Buffer.alloc(5) : undefined);
  });
  return server;
}

/** Accepts connections, and says nothing. */
export function silentServer(): NetServer {
  return net.createServer(() => {});
}
