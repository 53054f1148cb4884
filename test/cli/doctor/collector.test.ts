import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/check.js';
import { tree } from '../../support/tree.js';
import { COLLECTOR, look } from './built-checks.js';
import {
  certificate,
  closedPort,
  grpcServer,
  httpServer,
  httpsServer,
  listening,
  otlp,
  silentServer,
} from './collectors.js';
import { type Env, followVariables } from './follow.js';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const PROTOCOL = 'OTEL_EXPORTER_OTLP_PROTOCOL';
const ALL = 'traces, metrics, logs';

const ok = (found: string): Finding => ({ mark: 'ok', found });
const problem = (found: string, remedy: string): Finding => ({ mark: 'problem', found, remedy });
const answers = (place: string, signals = ALL) => [ok(`${signals}: ${place} answers`)];
const endpoint = (port: number, scheme = 'http') => ({ [ENDPOINT]: `${scheme}://127.0.0.1:${port}` });

/** The one problem, whose remedy is followed; then the collector answers. */
async function repaired(env: Env, found: string, remedy: string, place: string): Promise<void> {
  expect(await look(COLLECTOR, env)).toEqual([problem(found, remedy)]);
  expect(await look(COLLECTOR, followVariables(remedy, env))).toEqual(answers(place));
}

describe('a collector that answers', () => {
  it.each(['http/protobuf', 'http/json'])('over %s', async (protocol) => {
    const asked: (string | undefined)[] = [];
    const server = httpServer((request, response) => {
      asked.push(
        `${request.method} ${request.url} ${request.headers['x-tenant']} ${request.headers['content-encoding']}`,
      );
      otlp(request, response);
    });
    const port = await listening(server);
    const env = {
      ...endpoint(port),
      [PROTOCOL]: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    };
    expect(await look(COLLECTOR, env)).toEqual(answers(`http://127.0.0.1:${port} (${protocol})`));
    expect(asked.sort()).toEqual(
      ['logs', 'metrics', 'traces'].map((signal) => `POST /v1/${signal} one gzip`),
    );
  });

  it('over grpc', async () => {
    const port = await listening(grpcServer());
    const env = { ...endpoint(port), [PROTOCOL]: 'grpc' };
    expect(await look(COLLECTOR, env)).toEqual(answers(`http://127.0.0.1:${port} (grpc)`));
  });

  it('at places of its own for signals', async () => {
    const [one, other] = [await listening(httpServer()), await listening(grpcServer())];
    const env = {
      ...endpoint(one),
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${other}`,
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'grpc',
    };
    expect(await look(COLLECTOR, env)).toEqual([
      ok(`traces, metrics: http://127.0.0.1:${one} (http/protobuf) answers`),
      ok(`logs: http://127.0.0.1:${other} (grpc) answers`),
    ]);
  });

  it('also where a time that is given is not right', async () => {
    const port = await listening(httpServer());
    expect(await look(COLLECTOR, { ...endpoint(port), OTEL_EXPORTER_OTLP_TIMEOUT: '1s' })).toEqual(
      answers(`http://127.0.0.1:${port} (http/protobuf)`),
    );
  });

  it('with a certificate of an authority that is named', async () => {
    const { file, ...options } = certificate(tree({}));
    const port = await listening(httpsServer(options));
    const env = { ...endpoint(port, 'https'), OTEL_EXPORTER_OTLP_CERTIFICATE: file };
    expect(await look(COLLECTOR, env)).toEqual(answers(`https://127.0.0.1:${port} (http/protobuf)`));
  });
});

describe('a collector that is given too little time', () => {
  const TIMEOUT = 'OTEL_EXPORTER_OTLP_TIMEOUT';
  const LOGS = 'OTEL_EXPORTER_OTLP_LOGS_TIMEOUT';
  const slow = (wait: number) =>
    listening(httpServer((request, response) => setTimeout(() => otlp(request, response), wait)));

  it.each<[Env, string, string, string]>([
    [{ [TIMEOUT]: '10' }, ALL, TIMEOUT, `unset ${TIMEOUT}`],
    [{ [LOGS]: '10' }, 'logs', LOGS, `unset ${LOGS}`],
    [{ [LOGS]: '10', [TIMEOUT]: '20' }, 'logs', LOGS, `unset ${LOGS} and ${TIMEOUT}`],
  ])('%j', async (limits, signals, name, remedy) => {
    const port = await slow(100);
    const env = { ...endpoint(port), ...limits };
    const place = `http://127.0.0.1:${port} (http/protobuf)`;
    const found = (await look(COLLECTOR, env)).find((each) => each.found.startsWith(`${signals}: `));
    expect(found).toMatchObject({ mark: 'problem', remedy });
    expect(found?.found.replace(/after \d+ ms/, 'after a while')).toBe(
      `${signals}: ${place} answers after a while; ${name}=10 gives it 10 ms`,
    );
    expect(Number(/after (\d+) ms/.exec(found?.found ?? '')?.[1])).toBeGreaterThanOrEqual(100);
    expect(await look(COLLECTOR, followVariables(remedy, env))).toEqual(answers(place));
  });

  it('over grpc', async () => {
    const port = await listening(grpcServer());
    const env = { ...endpoint(port), [PROTOCOL]: 'grpc', [TIMEOUT]: '0.001' };
    const [found, ...others] = await look(COLLECTOR, env);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      mark: 'problem',
      found: expect.stringMatching(
        / answers after \d+ ms; OTEL_EXPORTER_OTLP_TIMEOUT=0.001 gives it 0.001 ms$/,
      ),
      remedy: `unset ${TIMEOUT}`,
    });
  });

  // A busy machine may not answer within a second.
  it('or just enough', { retry: 3 }, async () => {
    const port = await listening(httpServer());
    const place = `http://127.0.0.1:${port} (http/protobuf)`;
    expect(await look(COLLECTOR, { ...endpoint(port), [TIMEOUT]: '999' })).toEqual([
      ...answers(place),
      { mark: 'note', found: `${TIMEOUT}=999: what is not answered within 999 ms is lost` },
    ]);
    expect(await look(COLLECTOR, { ...endpoint(port), [TIMEOUT]: '1000' })).toEqual(answers(place));
  });
});

describe('what is not tried', () => {
  it('nothing is sent', async () => {
    const env = {
      OTEL_TRACES_EXPORTER: 'console',
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_LOGS_EXPORTER: 'none',
    };
    expect(await look(COLLECTOR, env)).toEqual([
      ok('nothing is sent to a collector: console, prometheus on port 9464'),
    ]);
  });

  it('nothing is exported', async () => {
    const env = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
    expect(await look(COLLECTOR, env)).toEqual([{ mark: 'skipped', found: 'nothing is exported' }]);
  });

  it.each([
    [{ OTEL_SDK_DISABLED: 'true' }, 'start'],
    [{}, 'register'],
  ] as const)('no SDK: %j with %s', async (env, preload) => {
    expect(await look(COLLECTOR, env, { preload })).toEqual([
      { mark: 'skipped', found: 'no SDK is known to start, so nothing is sent' },
    ]);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_LOGS_PROTOCOL', 'grpcc'],
    ['OTEL_EXPORTER_OTLP_LOGS_CLIENT_CERTIFICATE', ' client.pem'],
  ])('a signal whose variables are not right: %s=%s', async (name, value) => {
    const port = await listening(httpServer());
    const env = { ...endpoint(port), [name]: value };
    expect(await look(COLLECTOR, env)).toEqual([
      ok(`traces, metrics: http://127.0.0.1:${port} (http/protobuf) answers`),
      { mark: 'skipped', found: 'logs: not tried, because their variables are not right' },
    ]);
  });
});

describe('another protocol or place that answers is what to set', () => {
  it('a gRPC server that is addressed by HTTP', async () => {
    const port = await listening(grpcServer());
    await repaired(
      endpoint(port),
      `${ALL}: http://127.0.0.1:${port} (http/protobuf) speaks grpc, not http/protobuf`,
      `set ${PROTOCOL}=grpc`,
      `http://127.0.0.1:${port} (grpc)`,
    );
  });

  it('an HTTP server that is addressed by gRPC', async () => {
    const port = await listening(httpServer());
    await repaired(
      { ...endpoint(port), [PROTOCOL]: 'grpc' },
      `${ALL}: http://127.0.0.1:${port} (grpc) speaks http, not grpc`,
      `set ${PROTOCOL}=http/protobuf`,
      `http://127.0.0.1:${port} (http/protobuf)`,
    );
  });

  it('a gRPC server without encryption, addressed without scheme', async () => {
    const port = await listening(grpcServer());
    await repaired(
      { [ENDPOINT]: `127.0.0.1:${port}`, [PROTOCOL]: 'grpc' },
      `${ALL}: https://127.0.0.1:${port} (grpc) does not encrypt`,
      `set ${ENDPOINT}=http://127.0.0.1:${port}`,
      `http://127.0.0.1:${port} (grpc)`,
    );
  });

  it('a server that takes JSON only', async () => {
    const port = await listening(
      httpServer((request, response) => {
        if (request.headers['content-type'] === 'application/json') otlp(request, response);
        else response.writeHead(415).end();
      }),
    );
    await repaired(
      endpoint(port),
      `${ALL}: http://127.0.0.1:${port} (http/protobuf) answers 415 Unsupported Media Type: it does not take http/protobuf`,
      `set ${PROTOCOL}=http/json`,
      `http://127.0.0.1:${port} (http/json)`,
    );
  });

  it.each([
    ['http/protobuf', 'grpc', () => grpcServer(16)],
    ['grpc', 'http/protobuf', () => httpServer((_, response) => response.writeHead(401).end())],
  ])('also one that asks for credentials, which are not sent there: %s', async (set, speaks, server) => {
    const port = await listening(server());
    const env = { ...endpoint(port), [PROTOCOL]: set, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a' };
    expect(await look(COLLECTOR, env)).toEqual([
      problem(
        `${ALL}: http://127.0.0.1:${port} (${set}) speaks ${speaks.replace(/\/.*/, '')}, not ${set}`,
        `set ${PROTOCOL}=${speaks}`,
      ),
    ]);
  });

  it('a path twice', async () => {
    const port = await listening(httpServer());
    const env = {
      [ENDPOINT]: `http://127.0.0.1:${port}/v1/traces`,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
    const remedy = `set ${ENDPOINT}=http://127.0.0.1:${port}`;
    expect(await look(COLLECTOR, env)).toEqual([
      problem(
        `traces: http://127.0.0.1:${port} (http/protobuf) answers 404 Not Found: it does not know the path`,
        remedy,
      ),
    ]);
    expect(await look(COLLECTOR, followVariables(remedy, env))).toEqual(
      answers(`http://127.0.0.1:${port} (http/protobuf)`, 'traces'),
    );
  });

  it('a base path that is wrong is one problem for all signals', async () => {
    const port = await listening(httpServer());
    await repaired(
      { [ENDPOINT]: `http://127.0.0.1:${port}/ingest` },
      `${ALL}: http://127.0.0.1:${port} (http/protobuf) answers 404 Not Found: it does not know the path`,
      `set ${ENDPOINT}=http://127.0.0.1:${port}`,
      `http://127.0.0.1:${port} (http/protobuf)`,
    );
  });

  it("a signal's own endpoint without path", async () => {
    const port = await listening(httpServer());
    const own = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
    const env = {
      [own]: `http://127.0.0.1:${port}`,
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
    const remedy = `change the path in ${own} to /v1/traces`;
    expect(await look(COLLECTOR, env)).toEqual([
      problem(
        `traces: http://127.0.0.1:${port} (http/protobuf) answers 404 Not Found: it does not know the path`,
        remedy,
      ),
    ]);
    expect(await look(COLLECTOR, followVariables(remedy, env))).toEqual(
      answers(`http://127.0.0.1:${port} (http/protobuf)`, 'traces'),
    );
  });

  it('encryption where there is none', async () => {
    const port = await listening(httpServer());
    await repaired(
      endpoint(port, 'https'),
      `${ALL}: https://127.0.0.1:${port} (http/protobuf) does not encrypt`,
      `set ${ENDPOINT}=http://127.0.0.1:${port}`,
      `http://127.0.0.1:${port} (http/protobuf)`,
    );
  });

  it('no encryption where there is some', async () => {
    const { file, ...options } = certificate(tree({}));
    const port = await listening(httpsServer(options));
    const env = { ...endpoint(port), OTEL_EXPORTER_OTLP_CERTIFICATE: file };
    await repaired(
      env,
      `${ALL}: http://127.0.0.1:${port} (http/protobuf) is encrypted`,
      `set ${ENDPOINT}=https://127.0.0.1:${port}`,
      `https://127.0.0.1:${port} (http/protobuf)`,
    );
  });
});

describe('what nothing else repairs', () => {
  it('nothing listens', async () => {
    const { port, free } = await closedPort();
    expect(await look(COLLECTOR, endpoint(port))).toEqual([
      problem(
        `${ALL}: http://127.0.0.1:${port} refuses the connection: nothing listens there`,
        `start a collector there, or set ${ENDPOINT} to where one listens; in a container, localhost is the container itself`,
      ),
    ]);
    await free();
    await listening(httpServer(), port);
    expect(await look(COLLECTOR, endpoint(port))).toEqual(
      answers(`http://127.0.0.1:${port} (http/protobuf)`),
    );
  });

  it('nothing listens, over grpc', async () => {
    const { port } = await closedPort();
    const [finding] = await look(COLLECTOR, { ...endpoint(port), [PROTOCOL]: 'grpc' });
    expect(finding?.found).toBe(
      `${ALL}: http://127.0.0.1:${port} refuses the connection: nothing listens there`,
    );
  });

  it('nothing listens, for two protocols', async () => {
    const { port } = await closedPort();
    const env = { ...endpoint(port), OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' };
    const found = (await look(COLLECTOR, env)).map((finding) => finding.found);
    expect(found).toEqual([`${ALL}: http://127.0.0.1:${port} refuses the connection: nothing listens there`]);
  });

  it.each(['http/protobuf', 'grpc'])('a server that says nothing, over %s', async (protocol) => {
    const port = await listening(silentServer());
    expect(await look(COLLECTOR, { ...endpoint(port), [PROTOCOL]: protocol })).toEqual([
      problem(
        `${ALL}: http://127.0.0.1:${port} (${protocol}) does not answer within 3 seconds`,
        `let this machine reach it (firewall, network policy, proxy), or set ${ENDPOINT} to another collector`,
      ),
    ]);
  });

  it.each([
    ['http/protobuf', undefined],
    ['http/json', '{'],
  ])('a server that begins an answer and does not end it: %s, %j', async (protocol, content) => {
    const port = await listening(
      httpServer((_, response) => {
        response.writeHead(200).flushHeaders();
        if (content !== undefined) response.write(content);
      }),
    );
    expect(await look(COLLECTOR, { ...endpoint(port), [PROTOCOL]: protocol })).toEqual([
      problem(
        `${ALL}: http://127.0.0.1:${port} (${protocol}) answers 200 OK, and its response never ends`,
        `look into the log of the collector, or set ${ENDPOINT} to another one`,
      ),
    ]);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', 'http/protobuf'],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', 'http/json'],
    ['NODE_EXTRA_CA_CERTS', 'http/protobuf'],
  ])('a certificate of an unknown authority, until %s names it: %s', async (name, protocol) => {
    const { file, ...options } = certificate(tree({}));
    const port = await listening(httpsServer(options));
    const env = { ...endpoint(port, 'https'), [PROTOCOL]: protocol };
    expect(await look(COLLECTOR, env)).toEqual([
      problem(
        `${ALL}: https://127.0.0.1:${port} (${protocol}) has a certificate that is not trusted here: its authority is not known`,
        'set OTEL_EXPORTER_OTLP_CERTIFICATE or NODE_EXTRA_CA_CERTS to the file with the certificate of its authority',
      ),
    ]);
    expect(await look(COLLECTOR, { ...env, [name]: file })).toEqual(
      answers(`https://127.0.0.1:${port} (${protocol})`),
    );
  });

  it.each(['http/protobuf', 'grpc'])('no encryption, with credentials, over %s', async (protocol) => {
    const server = protocol === 'grpc' ? grpcServer() : httpServer();
    const port = await listening(server);
    const env = {
      ...endpoint(port, 'https'),
      [PROTOCOL]: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a',
    };
    expect(await look(COLLECTOR, env)).toEqual([
      problem(
        `${ALL}: https://127.0.0.1:${port} (${protocol}) does not encrypt, and your credentials must not be sent so`,
        `give the collector a certificate, or set ${ENDPOINT} to one that encrypts`,
      ),
    ]);
  });

  it('credentials that are refused, and never shown', async () => {
    const port = await listening(
      httpServer((request, response) => {
        if (request.headers.authorization === 'Bearer right') otlp(request, response);
        else response.writeHead(401).end();
      }),
    );
    const remedy =
      'set OTEL_EXPORTER_OTLP_HEADERS to the credentials that the collector takes, such as authorization=Bearer%20<token>';
    const place = `http://127.0.0.1:${port} (http/protobuf)`;
    expect(await look(COLLECTOR, endpoint(port))).toEqual([
      problem(`${ALL}: ${place} answers 401 Unauthorized; no header is set`, remedy),
    ]);
    const wrong = {
      ...endpoint(port),
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20wrong,x-tenant=one',
    };
    expect(await look(COLLECTOR, wrong)).toEqual([
      problem(
        `${ALL}: ${place} answers 401 Unauthorized; headers: authorization=****, x-tenant=****`,
        remedy,
      ),
    ]);
    const right = { ...endpoint(port), OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20right' };
    expect(await look(COLLECTOR, right)).toEqual(answers(place));
  });

  it('credentials that are refused over grpc', async () => {
    const port = await listening(grpcServer(16));
    const [finding] = await look(COLLECTOR, { ...endpoint(port), [PROTOCOL]: 'grpc' });
    expect(finding?.found).toBe(
      `${ALL}: http://127.0.0.1:${port} (grpc) refuses the credentials (UNAUTHENTICATED); no header is set`,
    );
  });

  it('a signal that the collector does not take', async () => {
    const port = await listening(
      httpServer((request, response) => {
        if (request.url === '/v1/logs') response.writeHead(404).end();
        else otlp(request, response);
      }),
    );
    const place = `http://127.0.0.1:${port} (http/protobuf)`;
    const remedy = `give the collector a pipeline for logs, or set OTEL_LOGS_EXPORTER=none; or set ${ENDPOINT} to a collector`;
    expect(await look(COLLECTOR, endpoint(port))).toEqual([
      ok(`traces, metrics: ${place} answers`),
      problem(`logs: ${place} answers 404 Not Found: it does not know the path`, remedy),
    ]);
    expect(await look(COLLECTOR, followVariables(remedy, endpoint(port)))).toEqual(
      answers(place, 'traces, metrics'),
    );
  });

  it('a web server', async () => {
    const port = await listening(
      httpServer((_, response) => response.setHeader('content-type', 'text/html').end('<html>')),
    );
    expect(await look(COLLECTOR, endpoint(port))).toEqual([
      problem(
        `${ALL}: http://127.0.0.1:${port} (http/protobuf) answers 200 OK with a web page: it is not a collector`,
        `set ${ENDPOINT} to a collector`,
      ),
    ]);
  });

  it('a collector that is overloaded', async () => {
    const port = await listening(httpServer((_, response) => response.writeHead(503).end()));
    expect(await look(COLLECTOR, endpoint(port))).toEqual([
      problem(
        `${ALL}: http://127.0.0.1:${port} (http/protobuf) answers 503 Service Unavailable`,
        `look into the log of the collector, or set ${ENDPOINT} to another one`,
      ),
    ]);
  });
});
