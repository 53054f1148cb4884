/** Receives OTLP over HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGunzip } from 'node:zlib';
import { type Address, explainListenError } from './address.js';
import { decode, encodeStatus, type RequestMessage } from './protobuf.js';
import { boundedJson, TooMuchError } from './values.js';

/** The most bytes in a request, unpacked. A collector's batch of 8192 spans has up to 17 MB as protobuf and 26 MB as JSON. */
const MAX_BYTES = 32 * 1024 * 1024;
const TOO_LARGE = `more than ${MAX_BYTES} bytes`;
/** The most bytes of all requests in memory together, unpacked. */
const MAX_HELD_BYTES = 4 * MAX_BYTES;
/** What a chunk of a body takes in memory beside its bytes, measured. A sender can make chunks of one byte. */
const CHUNK_BYTES = 1024;
/** In seconds. */
const RETRY_AFTER = '1';
const MAX_CONNECTIONS = 256;

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** The first bytes that a gRPC client sends, because gRPC is HTTP/2. */
const HTTP2_PREFACE = 'PRI * HTTP/2.0';

/** The first two bytes of a TLS handshake. */
const TLS_START = '\u0016\u0003';

/** A cause for which senders are refused, and of which the user should know. */
export type Notice =
  | 'busy'
  | 'contentType'
  | 'encoding'
  | 'fault'
  | 'grpc'
  | 'notHttp'
  | 'path'
  | 'tls'
  | 'tooLarge'
  | 'tooManyConnections'
  | 'unreadable';

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

/**
 * A request is answered with this status and message. Without a notice nothing of telemetry is lost: it was no export, or its sender
 * went away.
 */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly notice: Notice | undefined,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** Counts the bytes that all requests hold together. */
class Memory {
  #held = 0;

  /** @throws Refusal where there is no room. Exporters try again after 503: https://opentelemetry.io/docs/specs/otlp/#failures-1 */
  hold(bytes: number): void {
    if (this.#held + bytes > MAX_HELD_BYTES)
      throw new Refusal(503, 'too much comes at once', 'busy', { 'retry-after': RETRY_AFTER });
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/** @throws Error that says what to do if the address cannot be used */
export async function openReceiver(address: Address, handlers: Handlers): Promise<Receiver> {
  const memory = new Memory();
  const server = createServer((request, response) => void serve(request, response, memory, handlers));
  server.maxConnections = MAX_CONNECTIONS;
  server.on('drop', () => handlers.onNotice('tooManyConnections'));
  server.on('clientError', (error: Error & { rawPacket?: Buffer }, socket) => {
    // After the first bytes that are no HTTP, there is an error for each packet that follows.
    if (!socket.writable) return void socket.destroy();
    if (error.rawPacket !== undefined) handlers.onNotice(noticeOf(error.rawPacket));
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
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

/** @returns what it is about bytes that are no HTTP request */
function noticeOf(bytes: Buffer): Notice {
  const text = bytes.toString('latin1', 0, HTTP2_PREFACE.length);
  if (text === HTTP2_PREFACE) return 'grpc';
  return text.startsWith(TLS_START) ? 'tls' : 'notHttp';
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

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  memory: Memory,
  handlers: Handlers,
): Promise<void> {
  // OTLP answers in the encoding of the request. Where that is unknown, the answer is JSON.
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isProtobuf = type === PROTOBUF;
  const answer = (status: number, body: Uint8Array | string, headers = {}) => {
    request.resume();
    response.writeHead(status, { 'content-type': isProtobuf ? PROTOBUF : JSON_TYPE, ...headers }).end(body);
  };
  let held = 0;
  const hold = (bytes: number) => {
    memory.hold(bytes);
    held += bytes;
  };
  try {
    await take(request, type, hold, handlers);
    answer(200, isProtobuf ? '' : '{}');
  } catch (error) {
    const { status, message, notice, headers } = refusalOf(error);
    if (notice !== undefined) handlers.onNotice(notice);
    answer(status, isProtobuf ? encodeStatus(message) : JSON.stringify({ message }), headers);
  } finally {
    memory.release(held);
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof TooMuchError) return new Refusal(413, error.message, 'tooLarge');
  return new Refusal(500, 'the request could not be worked on', 'fault');
}

type Hold = (bytes: number) => void;

/** @throws Refusal or TooMuchError */
async function take(request: IncomingMessage, type: string, hold: Hold, handlers: Handlers): Promise<void> {
  const path = request.url?.split('?')[0] ?? '';
  // An exporter always sends POST. Browsers and health checks do not.
  const isExport = request.method === 'POST';
  if (!ROUTES.has(path))
    throw new Refusal(404, `the paths are ${[...ROUTES.keys()].join(', ')}`, isExport ? 'path' : undefined);
  if (!isExport) throw new Refusal(405, 'the method is POST', undefined, { allow: 'POST' });
  if (type !== PROTOBUF && type !== JSON_TYPE)
    throw new Refusal(415, `the content type is ${PROTOBUF} or ${JSON_TYPE}`, 'contentType');
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new Refusal(415, 'the content encoding is gzip, or none', 'encoding');
  const body = await bodyOf(request, encoding === 'gzip', hold);
  const route = ROUTES.get(path);
  if (route === undefined) return;
  handlers[route.handler](type === PROTOBUF ? fromProtobuf(route.message, body) : fromJson(body));
}

/**
 * Reads a body, and unpacks it while it comes, so that nothing is in memory that does not count.
 *
 * @throws Refusal or TooMuchError
 */
function bodyOf(request: IncomingMessage, isPacked: boolean, hold: Hold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const unpacking = isPacked ? createGunzip() : undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    const keep = (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BYTES) throw new TooMuchError(TOO_LARGE);
      hold(chunk.length + CHUNK_BYTES);
      chunks.push(chunk);
    };
    const onData = (chunk: Buffer) => {
      try {
        keep(chunk);
      } catch (error) {
        stop(error as Error);
      }
    };
    const stop = (error: Error) => {
      source.off('data', onData);
      if (unpacking !== undefined) request.unpipe(unpacking);
      unpacking?.destroy();
      chunks.length = 0;
      reject(error);
    };
    const source = unpacking === undefined ? request : request.pipe(unpacking);
    source.on('data', onData).on('end', () => resolve(Buffer.concat(chunks.splice(0))));
    request.on('error', () => stop(new Refusal(400, 'the request was cut off', undefined)));
    unpacking?.on('error', () => stop(new Refusal(400, 'the body is not what gzip writes', 'unreadable')));
  });
}

function fromProtobuf(message: RequestMessage, body: Buffer): object {
  try {
    return decode(message, body);
  } catch (error) {
    if (error instanceof TooMuchError) throw error;
    throw new Refusal(400, `the body is no ${message}`, 'unreadable');
  }
}

function fromJson(body: Buffer): object {
  let value: unknown;
  try {
    value = boundedJson(body);
  } catch (error) {
    if (error instanceof TooMuchError) throw error;
    throw new Refusal(400, 'the body is not JSON', 'unreadable');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(400, 'the body is no object of JSON', 'unreadable');
  return value;
}
