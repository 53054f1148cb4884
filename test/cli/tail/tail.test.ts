/** What a terminal shows of requests, in the process itself. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { showLive, showSummary, type Terminal } from '../../../src/cli/tail/tail.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
} from '../../../src/semconv.js';
import { metrics, type SpanOptions, span, sum, traces } from './requests.js';
import { Written } from './written.js';

/** The attributes of an operation whose texts are shown. */
const SHOWN = [
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PAPERCLIP_RECOVERY_KIND,
];

const ADDRESS = { host: '127.0.0.1', port: 0 };
const CLEAR = '\r\u001B[J';
const NONE = 'fallback rate – (none yet) · re-acquire success – (none yet)';

function terminal(columns?: number) {
  const stdout = new Written(columns !== undefined, columns);
  const stderr = new Written(false);
  const at: Terminal = { stdout: stdout.asOutput, stderr: stderr.asOutput, env: { NO_COLOR: '1' } };
  /** Where it listens, once it does. */
  const url = async () => {
    while (stderr.text === '') await new Promise(setImmediate);
    return /http:\/\/[\d.:]+/.exec(stderr.text)?.[0] ?? '';
  };
  return { at, stdout, stderr, url };
}

async function post(url: string, body: object): Promise<number> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return status;
}

const operation = (name: string, options: SpanOptions) =>
  span({
    ...options,
    attributes: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name, ...options.attributes },
  });
const REFUSED = operation('open_duplex_channel', { id: 'a', end: 5, attributes: { [ATTR_ERROR_TYPE]: 'E' } });
const FALLBACK = operation('execute', {
  id: 'b',
  links: ['a'],
  start: 5,
  end: 15,
  attributes: { [ATTR_PAPERCLIP_RECOVERY_KIND]: 'fallback' },
});
const requests = (at: number) =>
  metrics([
    sum({
      name: METRIC_PAPERCLIP_DUPLEX_REQUESTS.name,
      value: 1,
      attributes: { [ATTR_PAPERCLIP_DUPLEX_OUTCOME]: 'fallback' },
      at,
    }),
  ]);

const REFUSED_LINE = '12:00:00.005 open_duplex_channel                       5.0 ms E';
const FALLBACK_LINE =
  '12:00:00.015 ↳ execute                                  10 ms ok ← open_duplex_channel 12:00:00.005 (fallback)';

describe('live', () => {
  it('joins a recovery to a failure that came earlier, or later in the same request', async () => {
    const { at, stdout, url } = terminal();
    const ending = new AbortController();
    const shown = showLive(ADDRESS, at, ending.signal);
    const endpoint = `${await url()}/v1/traces`;
    await post(endpoint, traces([REFUSED]));
    await post(endpoint, traces([FALLBACK]));
    await post(endpoint, traces([FALLBACK, REFUSED]));
    ending.abort();
    await shown;
    expect(stdout.text.split('\n')).toEqual([
      REFUSED_LINE,
      FALLBACK_LINE,
      REFUSED_LINE,
      FALLBACK_LINE,
      `${NONE} · 4 operations, 2 failed · from 1 server`,
      '',
    ]);
  });

  it('keeps the header below operations and notices on a terminal', async () => {
    const { at, stdout, stderr, url } = terminal(200);
    const ending = new AbortController();
    const shown = showLive(ADDRESS, at, ending.signal);
    const address = await url();
    await post(`${address}/v1/traces`, traces([REFUSED]));
    await post(`${address}/v1/metrics`, requests(20));
    for (let n = 0; n < 2; n += 1) await sendBytes(address, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    ending.abort();
    await shown;
    const counts = ['0 operations, 0 failed · from 0 servers', '1 operation, 1 failed · from 1 server'];
    const rates = 'fallback rate 100 % (1 of 1) · re-acquire success – (none yet)';
    const header = `${CLEAR}${rates} · ${counts[1]}`;
    expect(stdout.text).toBe(
      [
        `${CLEAR}${NONE} · ${counts[0]}`,
        `${CLEAR}${REFUSED_LINE}\n${NONE} · ${counts[1]}`,
        header,
        `${CLEAR}${header}`,
        `${header}\n`,
      ].join(''),
    );
    expect(stderr.text.split('\n').filter((line) => line.startsWith('warning')).length).toBe(1);
  });
});

/** Sends bytes over a connection of its own, until it is closed. */
function sendBytes(url: string, bytes: string): Promise<unknown> {
  return new Promise((closed) =>
    connect(Number(new URL(url).port), '127.0.0.1')
      .on('close', closed)
      .on('error', () => {})
      .resume()
      .end(bytes, 'latin1'),
  );
}

/** A value that must not be found on the screen, and what a terminal would obey. */
const MARKER = 'LEAK-\u001B[31m\u009B2J\u0007';

describe('what is refused', () => {
  const header = (name: string, value: string) => (url: string) =>
    fetch(`${url}/v1/traces`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', authorization: 'LEAK-', [name]: value },
    });
  const at =
    (path: string, body: object = {}) =>
    (url: string) =>
      post(`${url}${path}`, body);

  it.each<[string, (url: string) => Promise<unknown>, string]>([
    [
      'a path that is not here',
      at('/LEAK-path?LEAK-query'),
      `warning: an export came to an unknown path, and was refused. The paths are
  /v1/traces, /v1/metrics and /v1/logs. OTEL_EXPORTER_OTLP_ENDPOINT is without
  them, and without a slash at its end. The variables
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_METRICS_ENDPOINT are
  with them, where they are set.`,
    ],
    [
      'a path with two slashes',
      at('//v1/traces'),
      `warning: an export came to an unknown path, and was refused. The paths are
  /v1/traces, /v1/metrics and /v1/logs. OTEL_EXPORTER_OTLP_ENDPOINT is without
  them, and without a slash at its end. The variables
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_METRICS_ENDPOINT are
  with them, where they are set.`,
    ],
    [
      'another content type',
      header('content-type', 'text/LEAK-'),
      `warning: a request is neither protobuf nor JSON by its Content-Type, and was
  refused. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf for the server.`,
    ],
    [
      'another compression',
      header('content-encoding', 'LEAK-'),
      `warning: a request is compressed, but not with gzip, and was refused.
  Set OTEL_EXPORTER_OTLP_COMPRESSION=gzip for the server, or in a collector
  "compression: gzip" for the exporter.`,
    ],
    [
      'a body that cannot be read',
      header('content-encoding', 'gzip'),
      `warning: the body of a request is not the OTLP that its headers announce, and
  was refused. Check what sends to this port, and whether a proxy changes it.`,
    ],
    [
      'too much in a request',
      at('/v1/traces', traces(Array(50_000).fill({}))),
      `warning: a request was too large, and what it had is lost.
  Set OTEL_BSP_MAX_EXPORT_BATCH_SIZE of the server lower, or
  send_batch_max_size of the batch processor in a collector.`,
    ],
    [
      'gRPC',
      (url) => sendBytes(url, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nLEAK-'),
      `warning: somebody sends over gRPC, which is not understood here.
  Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf for the server, or use the
  exporter otlphttp in a collector.`,
    ],
    [
      'TLS',
      (url) => sendBytes(url, '\u0016\u0003\u0001LEAK-'),
      `warning: somebody sends over TLS (https://), which is not understood here.
  Set OTEL_EXPORTER_OTLP_ENDPOINT for the server, or in a collector the endpoint
  of the exporter, to an address with http://.`,
    ],
    [
      'what is not HTTP',
      (url) => sendBytes(url, MARKER),
      `warning: something came that is not HTTP, and was refused.
  Check what sends to this port.`,
    ],
  ])('is told about once, in lines that fit 80 columns: %s', async (_, send, notice) => {
    const { at, stdout, stderr, url } = terminal();
    const ending = new AbortController();
    const shown = showLive(ADDRESS, at, ending.signal);
    const address = await url();
    const before = stderr.text.length;
    for (let n = 0; n < 2; n += 1) await send(address);
    ending.abort();
    await shown;
    expect(stderr.text.slice(before)).toBe(`${notice}\n`);
    expect(Math.max(...notice.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(stdout.text).toBe(`${NONE} · 0 operations, 0 failed · from 0 servers\n`);
  });
});

describe('nothing that was sent is on the screen but what an operation is made of', () => {
  const secret = { [`key-${MARKER}`]: MARKER, 'http.request.header.authorization': MARKER, list: [MARKER] };
  const sent = (scope?: string) =>
    traces(
      [
        {
          ...operation('execute', { attributes: { ...secret, 'exception.message': MARKER } }),
          name: MARKER,
          traceState: MARKER,
          status: { code: 2, message: MARKER },
          events: [{ name: MARKER, attributes: [{ key: MARKER, value: { stringValue: MARKER } }] }],
        },
      ],
      {
        resource: { ...secret, 'service.name': MARKER, 'service.instance.id': MARKER },
        ...(scope && { scope }),
      },
    );
  const points = metrics(
    [
      sum({ name: MARKER, value: 1, attributes: secret }),
      sum({
        name: METRIC_PAPERCLIP_DUPLEX_REQUESTS.name,
        value: 1,
        attributes: { ...secret, [ATTR_PAPERCLIP_DUPLEX_OUTCOME]: MARKER },
      }),
    ],
    { resource: secret },
  );

  it.each([
    ['live', showLive],
    [
      'in a summary',
      (address: typeof ADDRESS, at: Terminal, signal: AbortSignal) => showSummary(address, at, 60, signal),
    ],
  ])('%s', async (_, show) => {
    const { at, stdout, stderr, url } = terminal();
    const ending = new AbortController();
    const shown = show(ADDRESS, at, ending.signal);
    const address = await url();
    const before = stderr.text.length;
    await post(`${address}/v1/traces`, sent('foreign'));
    await post(`${address}/v1/traces`, sent(MARKER));
    await post(`${address}/v1/logs`, { resourceLogs: [MARKER] });
    await post(`${address}/v1/traces?${encodeURIComponent(MARKER)}`, sent());
    await post(`${address}/v1/metrics`, points);
    ending.abort();
    await shown;
    const screen = stdout.text + stderr.text.slice(before);
    expect(screen).toContain('1 operation, 1 failed');
    expect(screen).not.toContain('LEAK-');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(screen).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
  });

  it('and that has nothing which a terminal obeys', async () => {
    const { at, stdout, url } = terminal();
    const ending = new AbortController();
    const shown = showLive(ADDRESS, at, ending.signal);
    const attributes = Object.fromEntries(SHOWN.map((name) => [name, `${name}${MARKER}`]));
    await post(`${await url()}/v1/traces`, traces([span({ attributes })]));
    ending.abort();
    await shown;
    expect(stdout.text).toContain(`${ATTR_PAPERCLIP_ENVIRONMENT_DRIVER}LEAK-`.slice(0, 23));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(stdout.text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
  });
});

describe('a summary', () => {
  it('comes once there are operations and their metrics, whose server is answered', async () => {
    const { at, stdout, url } = terminal();
    // Longer than a test may take: it must not be the end of the time that ends this.
    const shown = showSummary(ADDRESS, at, 600, new AbortController().signal);
    const address = await url();
    const statuses = [
      await post(`${address}/v1/metrics`, requests(20)),
      await post(`${address}/v1/traces`, traces([FALLBACK, REFUSED])),
    ];
    await shown;
    expect(statuses).toEqual([200, 200]);
    expect(stdout.text.split('\n')).toEqual([
      'execute              ok  1',
      'open_duplex_channel  E   1',
      'fallback rate 100 % (1 of 1) · re-acquire success – (none yet) · 2 operations, 1 failed · from 1 server',
      '',
    ]);
  });

  it('does not come where only spans of others did, and says so', async () => {
    const { at, stdout, url } = terminal();
    const ending = new AbortController();
    const shown = showSummary(ADDRESS, at, 60, ending.signal);
    await post(`${await url()}/v1/traces`, traces([REFUSED], { scope: 'http' }));
    ending.abort();
    const { servers, others } = await shown;
    expect({ servers, others, stdout: stdout.text }).toEqual({ servers: 0, others: 1, stdout: '' });
  });
});
