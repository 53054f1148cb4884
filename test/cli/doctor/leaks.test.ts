/**
 * Secrets go to the endpoint that the operator has set, by the protocol that is set, and nowhere else. Everything that
 * `doctor` sends to others, prints, writes and hands to its processes is recorded and searched for them.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tree } from '../../support/tree.js';
import { certificate } from './collectors.js';

/** An address of this machine on which nobody else listens. */
const HOST = '127.77.15.2';
const MARK = 'Zq7';
const BASIC = Buffer.from(`${MARK}user:${MARK}password`).toString('base64');
const hasSecret = (text: string) => text.includes(MARK) || text.includes(BASIC);

const open: Server[] = [];
const sockets = new Set<net.Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(open.splice(0).map((server) => new Promise((closed) => server.close(closed))));
});

async function listen(server: Server, port = 0, host = HOST): Promise<number> {
  open.push(server);
  server.on('connection', (socket: net.Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done));
  return (server.address() as AddressInfo).port;
}

/** What arrived at a port: the bytes of HTTP/1, and of gRPC the headers, which HTTP/2 compresses. */
interface Arrived {
  readonly http: string[];
  readonly grpc: string[];
}

interface Place {
  readonly port: number;
  readonly arrived: Arrived;
}

/** A collector that speaks HTTP and gRPC, and takes everything unless it is told to answer otherwise. */
async function collector({
  port = 0,
  certified,
  answer = (response) => response.writeHead(200).end(),
  grpcStatus = 0,
}: {
  port?: number;
  /** Encrypts, with this certificate. */
  certified?: tls.TlsOptions;
  answer?: (response: http.ServerResponse) => void;
  grpcStatus?: number;
} = {}): Promise<Place> {
  const arrived: Arrived = { http: [], grpc: [] };
  const plain = await listen(
    http.createServer((request, response) => request.resume().on('end', () => answer(response))),
    0,
    '127.0.0.1',
  );
  const second = http2.createServer();
  second.on('stream', (stream, headers) => {
    arrived.grpc.push(JSON.stringify(headers));
    stream.on('error', () => {}).on('data', (bytes) => arrived.grpc.push(bytes.toString('latin1')));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': grpcStatus }));
    stream.end(grpcStatus === 0 ? Buffer.alloc(5) : undefined);
  });
  const grpc = await listen(second, 0, '127.0.0.1');
  const pass = (socket: net.Socket) => {
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => {
      const isSecond = first.toString('latin1').startsWith('PRI ');
      const upstream = net.connect(isSecond ? grpc : plain, '127.0.0.1').on('error', () => {});
      const record = (bytes: Buffer) => !isSecond && arrived.http.push(bytes.toString('latin1'));
      record(first);
      upstream.write(first);
      socket.on('data', record).pipe(upstream).pipe(socket);
    });
  };
  const server =
    certified === undefined
      ? net.createServer(pass)
      : tls.createServer({ ALPNProtocols: ['h2', 'http/1.1'], ...certified }, pass);
  return { port: await listen(server, port), arrived };
}

interface Run {
  readonly code: number | null;
  readonly printed: string;
  /** The arguments of each process. */
  readonly args: ReadonlySet<string>;
  /** The environments of those that send exports. */
  readonly senders: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
}

/** Runs the command, and looks at all of its processes and files again and again. */
async function doctor(env: Record<string, string>, ...options: string[]): Promise<Run> {
  const home = tree({});
  for (const folder of ['tmp', 'cwd']) mkdirSync(join(home, folder));
  const child = spawn(process.execPath, [resolve('dist/cli/main.js'), 'doctor', '-p', 'start', ...options], {
    cwd: join(home, 'cwd'),
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: join(home, 'tmp'), ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const args = new Set<string>();
  const senders = new Set<string>();
  const written = new Set<string>();
  let isRunning = true;
  const watch = async () => {
    while (isRunning) {
      for (const pid of [child.pid as number, ...childrenOf(child.pid as number)]) {
        const line = read(`/proc/${pid}/cmdline`);
        args.add(line);
        if (line.includes('probes/export.js')) senders.add(read(`/proc/${pid}/environ`));
      }
      for (const entry of readdirSync(home, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) written.add(read(join(entry.parentPath, entry.name)));
      await setTimeout(5);
    }
  };
  const watching = watch();
  const code = await ended;
  isRunning = false;
  await watching;
  return { code, printed, args, senders, written };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended, or the file is gone.
    return '';
  }
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((child) => child !== '')
    .flatMap((child) => [Number(child), ...childrenOf(Number(child))]);
}

/** Headers, client certificate, and every part of the URL. */
let secrets: Record<string, string>;
let certified: tls.TlsOptions;
let authority: string;
beforeAll(() => {
  const folder = tree({});
  const { file, ...options } = certificate(folder);
  certified = options;
  authority = file;
  const key = join(folder, 'client.pem');
  // What is above a key is not read.
  writeFileSync(key, `${MARK}key\n${readFileSync(join(folder, 'key.pem'))}`);
  secrets = {
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${MARK}header,x-other=${MARK}other`,
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: `api-key=${MARK}logs`,
    OTEL_EXPORTER_OTLP_CLIENT_KEY: key,
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file,
    HTTPS_PROXY: `http://${MARK}user:${MARK}password@${HOST}:1`,
  };
});
const urlOf = (port: number, scheme = 'http') =>
  `${scheme}://${MARK}user:${MARK}password@${HOST}:${port}/${MARK}path-that-is-a-token?${MARK}key=${MARK}query#${MARK}fragment`;
const OWN = ['TRACES', 'METRICS', 'LOGS'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
/** The endpoint of each signal, because a query in the one for all of them is not valid. */
const set = (url: string) => Object.fromEntries(OWN.map((name) => [name, url]));
const NO_TRACES = { OTEL_TRACES_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };

function expectSilent({ printed, args, written, senders }: Run): void {
  expect(printed).toMatch(/collector/i);
  expect(printed).toContain(HOST);
  expect(hasSecret(printed)).toBe(false);
  const probes = [...args].flatMap((line) => /probes\/(\w+)\.js/.exec(line)?.[1] ?? []);
  expect(probes).toEqual(expect.arrayContaining(['sdk', 'export']));
  expect([...args].filter(hasSecret)).toEqual([]);
  expect([...written].filter(hasSecret)).toEqual([]);
  expect(senders.size).toBeGreaterThan(0);
}

const linux = describe.runIf(process.platform === 'linux');

linux.each([[[]], [['--json']]])('doctor %j', (options) => {
  it('a collector that takes everything gets the headers, and shows nothing', async () => {
    const { port, arrived } = await collector();
    const run = await doctor({ ...secrets, ...set(urlOf(port)) }, ...options);
    expectSilent(run);
    expect(hasSecret(arrived.http.join(''))).toBe(true);
    expect(arrived.grpc).toEqual([]);
  });

  it.each(['http/protobuf', 'grpc'])(
    'a certificate that is not trusted: nothing is tried without encryption, over %s',
    async (protocol) => {
      const main = await collector({ certified });
      const others = [await collector({ port: 4317 }), await collector({ port: 4318 })];
      const env = { ...secrets, OTEL_EXPORTER_OTLP_PROTOCOL: protocol, ...set(urlOf(main.port, 'https')) };
      const run = await doctor(env, ...options);
      expectSilent(run);
      expect(run.printed.replaceAll(/\s+/g, ' ')).toContain('NODE_EXTRA_CA_CERTS');
      expect(run.printed).not.toContain('http://');
      for (const { arrived } of [main, ...others]) expect(arrived).toEqual({ http: [], grpc: [] });
    },
  );

  it.each([
    ['http/protobuf', 4317, 4318],
    ['grpc', 4317, 4318],
    ['http/json', 4318, 4317],
  ])('nothing listens: over %s on %d, the port %d gets no credentials', async (protocol, refused, other) => {
    const { arrived } = await collector({ port: other });
    const env = { ...secrets, OTEL_EXPORTER_OTLP_PROTOCOL: protocol, ...set(urlOf(refused)) };
    const run = await doctor(env, ...options);
    expectSilent(run);
    expect(arrived.http.length + arrived.grpc.length).toBeGreaterThan(0);
    expect([...arrived.http, ...arrived.grpc].filter(hasSecret)).toEqual([]);
    // One process tries what is set, the other one what is not, and does not even know it. A proxy may have a password.
    const known = [...run.senders].map((env) => hasSecret(env.replaceAll(/[^\0]*_PROXY=[^\0]*/g, '')));
    expect(known.sort()).toEqual([false, true]);
  });

  it('another protocol at the same port gets none', async () => {
    const { port, arrived } = await collector({ answer: (response) => response.writeHead(415).end() });
    const run = await doctor({ ...secrets, ...set(urlOf(port)) }, ...options);
    expectSilent(run);
    expect(hasSecret(arrived.http.join(''))).toBe(true);
    expect(arrived.grpc.length).toBeGreaterThan(0);
    expect(arrived.grpc.filter(hasSecret)).toEqual([]);
    const tried = arrived.http.filter((text) => text.includes('application/json'));
    expect(tried.length).toBeGreaterThan(0);
    expect(tried.filter(hasSecret)).toEqual([]);
  });

  it('a redirection is not followed', async () => {
    const elsewhere = await collector();
    const { port, arrived } = await collector({
      answer: (response) => response.writeHead(307, { location: `http://${HOST}:${elsewhere.port}/` }).end(),
    });
    expectSilent(await doctor({ ...secrets, ...set(urlOf(port)) }, ...options));
    expect(hasSecret(arrived.http.join(''))).toBe(true);
    expect(elsewhere.arrived).toEqual({ http: [], grpc: [] });
  });

  it('what a collector says of the credentials and the URL is not repeated', async () => {
    const { port } = await collector({
      answer: (response) =>
        response
          .writeHead(
            400,
            `no ${MARK}header at /${MARK}path-that-is-a-token nor ${MARK}password, ${BASIC}, ${MARK}query`,
          )
          .end(),
    });
    expectSilent(await doctor({ ...secrets, ...set(urlOf(port)) }, ...options));
  });

  it.each(['OTEL_EXPORTER_OTLP_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CLIENT_KEY'])(
    'the content of a file that is not right is not shown: %s',
    async (name) => {
      const { port } = await collector({ certified });
      const file = join(tree({ 'bad.pem': `${MARK}content` }), 'bad.pem');
      const env = { ...secrets, OTEL_EXPORTER_OTLP_CERTIFICATE: authority, ...NO_TRACES, [name]: file };
      expectSilent(await doctor({ ...env, ...set(urlOf(port, 'https')) }, ...options));
    },
  );

  it.each([
    ['an endpoint for all signals, with a query', (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })],
    ['no scheme', (url: string) => set(url.replace('http://', ''))],
    ['another scheme', (url: string) => set(url.replace('http', 'grpc'))],
    ['white space', (url: string) => set(` ${url} `)],
    ['quotation marks', (url: string) => set(`"${url}"`)],
    ['a password that is not encoded', (url: string) => set(url.replace(':Zq7', ':/Zq7'))],
    ['a misspelt name', (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPIONT: url })],
    ['Zipkin', (url: string) => ({ OTEL_TRACES_EXPORTER: 'zipkin', OTEL_EXPORTER_ZIPKIN_ENDPOINT: url })],
  ])('an endpoint that is written otherwise: %s', async (_, written) => {
    const { port } = await collector();
    const { printed, args } = await doctor({ ...secrets, ...written(urlOf(port)) }, ...options);
    expect(printed).toMatch(/collector/i);
    expect(hasSecret(printed)).toBe(false);
    expect([...args].filter(hasSecret)).toEqual([]);
  });
});
