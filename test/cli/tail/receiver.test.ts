import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Notice, openReceiver, type Receiver } from '../../../src/cli/tail/receiver.js';
import { runNode } from '../../support/tree.js';
import { field } from './requests.js';

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';
const MAX_BYTES = 32 * 1024 * 1024;

let receiver: Receiver;
let taken: string[];
let notices: Notice[];
let isBroken: boolean;
beforeEach(async () => {
  taken = [];
  notices = [];
  isBroken = false;
  const take = (signal: string) => (request: object) => {
    if (isBroken) throw new Error('a fault of ours');
    taken.push(`${signal} ${JSON.stringify(request)}`);
  };
  receiver = await openReceiver(
    { host: '127.0.0.1', port: 0 },
    { onTraces: take('traces'), onMetrics: take('metrics'), onNotice: (notice) => notices.push(notice) },
  );
});
afterEach(() => receiver.close());

type Body = string | Uint8Array;

async function send(path: string, type: string, body: Body, headers = {}, method = 'POST') {
  const response = await fetch(`http://127.0.0.1:${receiver.port}${path}`, {
    method,
    headers: { 'content-type': type, ...headers },
    ...(method === 'POST' && { body: body as RequestInit['body'] & {} }),
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: Buffer.from(await response.arrayBuffer()).toString(),
  };
}

/** `ExportTraceServiceRequest` with one span without anything. */
const ONE_SPAN = field(1, field(2, field(2, '')));

describe('a request', () => {
  it.each([
    ['/v1/traces', JSON_TYPE, '{"resourceSpans":[]}', ['traces {"resourceSpans":[]}']],
    ['/v1/traces?a=b', `${JSON_TYPE}; charset=utf-8`, '{}', ['traces {}']],
    ['/v1/metrics', JSON_TYPE, '{}', ['metrics {}']],
    ['/v1/logs', JSON_TYPE, '{}', []],
  ])('%s as %s is taken, and answered in JSON', async (path, type, body, expected) => {
    expect(await send(path, type, body)).toEqual({ status: 200, type: JSON_TYPE, body: '{}' });
    expect(taken).toEqual(expected);
  });

  it.each([
    ['/v1/traces', ONE_SPAN, ['traces {"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}']],
    ['/v1/metrics', '', ['metrics {}']],
    ['/v1/logs', 'not read', []],
  ])('%s as protobuf is taken, and answered in it', async (path, body, expected) => {
    expect(await send(path, PROTOBUF, body)).toEqual({ status: 200, type: PROTOBUF, body: '' });
    expect(taken).toEqual(expected);
  });

  it.each([
    [JSON_TYPE, '{}'],
    [PROTOBUF, ONE_SPAN],
  ])('with gzip is unpacked: %s', async (type, body) => {
    const { status } = await send('/v1/traces', type, gzipSync(body), { 'content-encoding': 'gzip' });
    expect([status, taken.length]).toEqual([200, 1]);
  });

  it.each(['GZIP', 'Gzip'])('with gzip is unpacked also where it is written %s', async (encoding) => {
    const { status } = await send('/v1/traces', JSON_TYPE, gzipSync('{}'), { 'content-encoding': encoding });
    expect([status, taken, notices]).toEqual([200, ['traces {}'], []]);
  });

  it.each(['', 'identity', 'Identity'])('with the encoding "%s" is not packed', async (encoding) => {
    const { status } = await send('/v1/traces', JSON_TYPE, '{}', { 'content-encoding': encoding });
    expect([status, taken, notices]).toEqual([200, ['traces {}'], []]);
  });

  it('in JSON may begin with a byte order mark', async () => {
    expect((await send('/v1/traces', JSON_TYPE, '\uFEFF{}')).status).toBe(200);
    expect(taken).toEqual(['traces {}']);
  });
});

const GZIP = { 'content-encoding': 'gzip' };
const LARGE = Buffer.alloc(MAX_BYTES + 1, ' ');
const MANY_VALUES = `[${'[],'.repeat(1_000_000)}[]]`;

describe('is refused with a reason', () => {
  const PATHS = 'the paths are /v1/traces, /v1/metrics, /v1/logs';
  const TYPES = `the content type is ${PROTOBUF} or ${JSON_TYPE}`;
  const ENCODINGS = 'the content encoding is gzip, or none';

  it.each<[string, number, Notice | undefined, string, Parameters<typeof send>]>([
    ['no path', 404, 'path', PATHS, ['/', JSON_TYPE, '{}']],
    ['a path with two slashes', 404, 'path', PATHS, ['//v1/traces', JSON_TYPE, '{}']],
    ['a path with a slash at its end', 404, 'path', PATHS, ['/v1/traces/', JSON_TYPE, '{}']],
    ['a page for a browser', 404, undefined, PATHS, ['/', JSON_TYPE, '', {}, 'GET']],
    ['another method', 405, undefined, 'the method is POST', ['/v1/traces', JSON_TYPE, '', {}, 'GET']],
    ['another type', 415, 'contentType', TYPES, ['/v1/traces', 'text/plain', '{}']],
    ['no type', 415, 'contentType', TYPES, ['/v1/traces', '', '{}']],
    ...['br', 'deflate', 'zstd', 'gzip, gzip'].map(
      (encoding): [string, number, Notice, string, Parameters<typeof send>] => [
        `the encoding ${encoding}`,
        415,
        'encoding',
        ENCODINGS,
        ['/v1/traces', JSON_TYPE, '{}', { 'content-encoding': encoding }],
      ],
    ),
    ['what is not JSON', 400, 'unreadable', 'the body is not JSON', ['/v1/traces', JSON_TYPE, '{']],
    ['no object', 400, 'unreadable', 'the body is no object of JSON', ['/v1/traces', JSON_TYPE, '[]']],
    [
      'what is not gzip',
      400,
      'unreadable',
      'the body is not what gzip writes',
      ['/v1/logs', JSON_TYPE, '{}', GZIP],
    ],
    [
      'gzip that is cut off',
      400,
      'unreadable',
      'the body is not what gzip writes',
      ['/v1/logs', JSON_TYPE, gzipSync('{}').subarray(0, 12), GZIP],
    ],
    ['too many bytes', 413, 'tooLarge', `more than ${MAX_BYTES} bytes`, ['/v1/traces', JSON_TYPE, LARGE]],
    [
      'too many bytes once unpacked',
      413,
      'tooLarge',
      `more than ${MAX_BYTES} bytes`,
      ['/v1/logs', JSON_TYPE, gzipSync(LARGE), GZIP],
    ],
    ['too many values', 413, 'tooLarge', 'more than 2000000 fields', ['/v1/traces', JSON_TYPE, MANY_VALUES]],
  ])('%s: %d, and the notice %s', async (_, status, notice, message, args) => {
    expect(await send(...args)).toEqual({ status, type: JSON_TYPE, body: JSON.stringify({ message }) });
    expect(taken).toEqual([]);
    expect(notices).toEqual(notice === undefined ? [] : [notice]);
  });

  it.each<[string, number, Notice, string, Body]>([
    ['what is no message', 400, 'unreadable', 'the body is no ExportTraceServiceRequest', 'x'],
    ['nesting without an end', 400, 'unreadable', 'the body is no ExportTraceServiceRequest', nested(120)],
    [
      'two million empty resources',
      413,
      'tooLarge',
      'more than 2000000 fields',
      Buffer.alloc(4_000_002, '\n\0'),
    ],
  ])('in protobuf: %s: %d', async (_, status, notice, message, body) => {
    expect(await send('/v1/traces', PROTOBUF, body)).toEqual({
      status,
      type: PROTOBUF,
      // google.rpc.Status
      body: field(2, message).toString(),
    });
    expect([taken, notices]).toEqual([[], [notice]]);
  });

  it('a request that we stumble over, and the next one is served', async () => {
    isBroken = true;
    expect((await send('/v1/traces', JSON_TYPE, '{}')).status).toBe(500);
    expect(notices).toEqual(['fault']);
    isBroken = false;
    expect((await send('/v1/traces', JSON_TYPE, '{}')).status).toBe(200);
  });
});

/** A span with an attribute that is a list of a list, so many times. */
function nested(depth: number): Uint8Array {
  let value: Uint8Array = Buffer.alloc(0);
  for (let n = 0; n < depth; n += 1) value = field(5, field(1, value));
  return field(1, field(2, field(2, field(9, field(2, value)))));
}

/** Sends bytes over a connection of its own, and tells what is answered until it is closed. */
async function sendBytes(bytes: string): Promise<string> {
  const socket = connect(receiver.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  await new Promise((closed) => socket.on('close', closed));
  return answer;
}

it('gRPC is recognised', async () => {
  await sendBytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0');
  expect(notices).toEqual(['grpc']);
});

it('of more connections than 256 at once the next is turned away, and that is told', async () => {
  const sockets = Array.from({ length: 256 }, () => connect(receiver.port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  expect(await sendBytes('GET / HTTP/1.1\r\n\r\n')).toBe('');
  expect(notices).toEqual(['tooManyConnections']);
  for (const socket of sockets) socket.destroy();
});

it.each<[string, Notice]>([
  ['\u0016\u0003\u0001\0\0', 'tls'],
  ['\u0001hello', 'notHttp'],
])('what is not HTTP is answered as such: %j is %s', async (bytes, notice) => {
  expect(await sendBytes(bytes)).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  expect([taken, notices]).toEqual([[], [notice]]);
});

describe('of more bytes than 128 MiB at once, over all connections', () => {
  /** 30 MiB: four of them fit, with what their chunks take beside. */
  const plain = Buffer.alloc(30 * 1024 * 1024, ' ').fill('{}', 0, 2);
  const packed = gzipSync(plain);
  const PACKED = 'Content-Encoding: gzip\r\n';

  /** Sends a body without its last eight bytes, over eight connections at once, until four of them are answered. */
  async function fill(body: Buffer, header: string) {
    const open = Array.from({ length: 8 }, () => {
      const socket = connect(receiver.port, '127.0.0.1');
      const sent = { socket, answer: '' };
      socket.setEncoding('latin1').on('data', (text) => {
        sent.answer += text;
      });
      socket.on('error', () => {});
      socket.write(
        `POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Type: ${JSON_TYPE}\r\n${header}Content-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body.subarray(0, -8));
      return sent;
    });
    const answered = () => open.filter(({ answer }) => answer !== '');
    await vi.waitFor(() => expect(answered().length).toBe(4), { timeout: 60_000 });
    return { refused: answered(), held: open.filter(({ answer }) => answer === ''), open };
  }

  it.each([
    ['as they are', plain, ''],
    ['packed', packed, PACKED],
  ])('what is over it has to come again, and the others are taken: %s', async (_, body, header) => {
    const { refused, held, open } = await fill(body, header);
    for (const { answer } of refused) expect(answer).toMatch(/^HTTP\/1.1 503 .*\r\nretry-after: 1\r\n/s);
    expect(notices).toEqual(Array(4).fill('busy'));
    for (const { socket } of held) socket.write(body.subarray(-8));
    await Promise.all(held.map(({ socket, answer }) => answer !== '' || once(socket, 'data')));
    for (const { answer } of held) expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(taken.length).toBe(4);
    for (const { socket } of open) socket.destroy();
    // Nothing counts any more: as much is taken again.
    const again = await fill(body, header);
    for (const { socket } of again.open) socket.destroy();
  });

  it('what counts no more, because its sender went away, makes room', async () => {
    for (const { socket } of (await fill(packed, PACKED)).open) socket.destroy();
    for (const { socket } of (await fill(packed, PACKED)).open) socket.destroy();
  });

  it('an SDK tries again, and its spans are taken once there is room', async () => {
    const { open } = await fill(packed, PACKED);
    notices.length = 0;
    const large = `
      import { trace } from '@opentelemetry/api';
      import { NodeSDK } from '@opentelemetry/sdk-node';
      const sdk = new NodeSDK({ autoDetectResources: false });
      sdk.start();
      trace.getTracer('a').startSpan('large', { attributes: { a: 'x'.repeat(9 * 1024 * 1024) } }).end();
      await sdk.shutdown();`;
    const sent = runNode(['--input-type=module', '--eval', large], {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.port}`,
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      },
    });
    await vi.waitFor(() => expect(notices).toContain('busy'), { timeout: 60_000 });
    for (const { socket } of open) socket.destroy();
    expect(await sent).toMatchObject({ code: 0, stderr: '' });
    expect(taken.length).toBe(1);
  });
});

it('a client that goes away in the middle leaves the next one served', async () => {
  const socket = connect(receiver.port, '127.0.0.1');
  socket.write(
    `POST /v1/traces HTTP/1.1\r\nHost: a\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 9\r\n\r\n{`,
  );
  await once(socket, 'connect');
  socket.destroy();
  expect((await send('/v1/traces', JSON_TYPE, '{}')).status).toBe(200);
  expect(taken).toEqual(['traces {}']);
});

describe('an address that cannot be listened on', () => {
  const handlers = { onTraces() {}, onMetrics() {}, onNotice() {} };
  const open = (host: string, port: number) => openReceiver({ host, port }, handlers);

  it('in use: says so, and what to set', async () => {
    const { port } = receiver;
    await expect(open('127.0.0.1', port)).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use, by a collector or another tail. End that, or choose another with --port ${port + 1} and for the server with OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${port + 1}`,
    );
  });

  it.each(['192.0.2.1', 'no-such-host.invalid'])('of another machine: %s', async (host) => {
    await expect(open(host, 0)).rejects.toThrow(
      `${host} is no address of this machine: choose one with --host, such as 127.0.0.1, or 0.0.0.0 for all`,
    );
  });
});
