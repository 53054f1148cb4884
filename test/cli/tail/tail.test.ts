/** What a terminal shows of requests, in the process itself. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { showLive, showSummary, type Terminal } from '../../../src/cli/tail/tail.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
} from '../../../src/semconv.js';
import { metrics, type SpanOptions, span, sum, traces } from './requests.js';
import { Written } from './written.js';

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
    for (let n = 0; n < 2; n += 1)
      await new Promise((closed) =>
        connect(Number(new URL(address).port), '127.0.0.1')
          .on('close', closed)
          .on('error', () => {})
          .resume()
          .end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      );
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

it('a request that is too large is told about once', async () => {
  const { at, stderr, url } = terminal();
  const ending = new AbortController();
  const shown = showSummary(ADDRESS, at, 60, ending.signal);
  const endpoint = `${await url()}/v1/traces`;
  const tooMany = traces(Array(50_000).fill({}));
  expect([await post(endpoint, tooMany), await post(endpoint, tooMany)]).toEqual([413, 413]);
  ending.abort();
  await shown;
  expect(stderr.text.split('\n').filter((line) => line.startsWith('warning'))).toEqual([
    'warning: a request was too large, and what it had is lost: set OTEL_BSP_MAX_EXPORT_BATCH_SIZE of the server lower, or send_batch_max_size of the batch processor in a collector',
  ]);
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
