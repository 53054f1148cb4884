/** Receives OTLP over HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Address, explainListenError } from './address.js';
import { decode, encodeStatus, type RequestMessage } from './protobuf.js';
import { boundedJson, TooMuchError } from './values.js';

/** The most bytes in a request, unpacked. A collector's batch of 8192 spans has up to 17 MB as protobuf and 26 MB as JSON. */
const MAX_BYTES = 32 * 1024 * 1024;
const TOO_LARGE = `more than ${MAX_BYTES} bytes`;
const MAX_CONNECTIONS = 256;

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** The first bytes that a gRPC client sends, because gRPC is HTTP/2. */
const HTTP2_PREFACE = 'PRI * HTTP/2.0';

/** A problem of a sender that the user should know of. */
export type Notice = 'grpc' | 'tooLarge' | 'tooManyConnections';

/** Requests have the shape of OTLP's JSON. */
export interface Handlers {
  onTraces(request: object): void;
  onMetrics(request: object): void;
  onNotice(notice: Notice): void;
}

export interface Receiver {
  readonly port: number;
  close(): void;
}

interface Route {
  readonly message: RequestMessage;
  readonly handler: 'onTraces' | 'onMetrics';
}

/** By path. Logs are accepted and not read. */
const ROUTES = new Map<string, Route | undefined>([
  ['/v1/traces', { message: 'ExportTraceServiceRequest', handler: 'onTraces' }],
  ['/v1/metrics', { message: 'ExportMetricsServiceRequest', handler: 'onMetrics' }],
  ['/v1/logs', undefined],
]);

const gunzipped = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** A request is answered with this status and message. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** @throws Error that says what to do if the address cannot be used */
export async function openReceiver(address: Address, handlers: Handlers): Promise<Receiver> {
  const server = createServer((request, response) => void serve(request, response, handlers));
  server.maxConnections = MAX_CONNECTIONS;
  server.on('drop', () => handlers.onNotice('tooManyConnections'));
  server.on('clientError', (error: Error & { rawPacket?: Buffer }, socket) => {
    if (error.rawPacket?.toString('latin1', 0, HTTP2_PREFACE.length) === HTTP2_PREFACE)
      handlers.onNotice('grpc');
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    else socket.destroy();
  });
  await listen(server, address);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new Error(explainListenError(error, address)));
    server.once('error', fail);
    server.listen(address.port, address.host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

async function serve(request: IncomingMessage, response: ServerResponse, handlers: Handlers): Promise<void> {
  // OTLP answers in the encoding of the request. Where that is unknown, the answer is JSON.
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isProtobuf = type === PROTOBUF;
  const answer = (status: number, body: Uint8Array | string, headers = {}) => {
    request.resume();
    response.writeHead(status, { 'content-type': isProtobuf ? PROTOBUF : JSON_TYPE, ...headers }).end(body);
  };
  try {
    await take(request, type, handlers);
    answer(200, isProtobuf ? '' : '{}');
  } catch (error) {
    const { status, message, headers } = refusalOf(error);
    if (status === 413) handlers.onNotice('tooLarge');
    answer(status, isProtobuf ? encodeStatus(message) : JSON.stringify({ message }), headers);
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof TooMuchError) return new Refusal(413, error.message);
  return new Refusal(500, 'the request could not be worked on');
}

/** @throws Refusal or TooMuchError */
async function take(request: IncomingMessage, type: string, handlers: Handlers): Promise<void> {
  const path = request.url?.split('?')[0] ?? '';
  if (!ROUTES.has(path)) throw new Refusal(404, `the paths are ${[...ROUTES.keys()].join(', ')}`);
  if (request.method !== 'POST') throw new Refusal(405, 'the method is POST', { allow: 'POST' });
  if (type !== PROTOBUF && type !== JSON_TYPE)
    throw new Refusal(415, `the content type is ${PROTOBUF} or ${JSON_TYPE}`);
  const body = await unpacked(await bodyOf(request), request.headers['content-encoding']);
  const route = ROUTES.get(path);
  if (route === undefined) return;
  handlers[route.handler](type === PROTOBUF ? fromProtobuf(route.message, body) : fromJson(body));
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BYTES) chunks.push(chunk);
      else reject(new TooMuchError(TOO_LARGE));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

async function unpacked(body: Buffer, encoding = 'identity'): Promise<Buffer> {
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip') throw new Refusal(415, 'the content encoding is gzip, or none');
  try {
    return await gunzipped(body, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TooMuchError(TOO_LARGE);
    throw new Refusal(400, 'the body is not what gzip writes');
  }
}

function fromProtobuf(message: RequestMessage, body: Buffer): object {
  try {
    return decode(message, body);
  } catch (error) {
    if (error instanceof TooMuchError) throw error;
    throw new Refusal(400, `the body is no ${message}`);
  }
}

function fromJson(body: Buffer): object {
  let value: unknown;
  try {
    value = boundedJson(body);
  } catch (error) {
    if (error instanceof TooMuchError) throw error;
    throw new Refusal(400, 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(400, 'the body is no object of JSON');
  return value;
}
