/** The command, and real SDKs that send to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME } from '../../../src/semconv.js';
import { runNode } from '../../support/tree.js';
import { NOON, span, traces } from './requests.js';

const COMMAND = resolve('dist/cli/main.js');
const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts it on a free port, and waits until it listens. */
async function startTail(
  args: string[] = [],
  env: Record<string, string> = {},
  stdout: number | 'pipe' = 'pipe',
) {
  const child = spawn(process.execPath, [COMMAND, 'tail', '--port', '0', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', stdout, 'pipe'],
  });
  children.push(child);
  const written = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    written.stdout += text;
  });
  await new Promise<void>((listening) => {
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      written.stderr += text;
      if (/Operations come|^error/.test(written.stderr)) listening();
    });
  });
  const url = /http:\/\/[\d.:]+/.exec(written.stderr)?.[0] ?? '';
  return {
    child,
    url,
    written,
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal, ...written })),
  };
}

const toTail = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_LOGS_EXPORTER: 'none' });

/** Plays the host, which sends to that URL. */
async function play(url: string, env: Record<string, string> = {}, times = 1) {
  const played = await runNode([HOST, String(times)], { env: { ...toTail(url), ...env } });
  if (played.code !== 0) throw new Error(played.stderr);
}

/** The lines, with times and durations as letters. */
function masked(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, 'T').replace(/ +[\d.]+ m?s /, ' D '));
}

const OPERATIONS = [
  'T open_duplex_channel   sandbox daytona D unsupported-driver-operation · non_plugin',
  'T ↳ execute             sandbox daytona D ok ← open_duplex_channel T (fallback) · exit 3',
  'T open_duplex_channel   sandbox daytona D missing-metadata-field: pluginId provider providerLeaseId',
  'T ↳ acquire_run_lease   sandbox daytona D ok ← open_duplex_channel T (reacquire)',
  'T ↳ open_duplex_channel sandbox daytona D ok ← open_duplex_channel T (reacquire)',
];
const headerOf = (times: number, operations = times * 5) =>
  `fallback rate 50 % (${times} of ${2 * times}) · re-acquire success 100 % (${times} of ${times}) · ${operations} operations, ${times * 2} failed · from 1 server`;

describe('an SDK with its own variables', () => {
  it.each([
    ['nothing but the endpoint', {}],
    ['protobuf and gzip', { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }],
    ['JSON', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }],
    ['JSON and gzip', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }],
  ])('is shown with what it recovers from: %s', async (_, env) => {
    const { child, url, ended } = await startTail();
    await play(url, env);
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect(masked(stdout)).toEqual([...OPERATIONS, headerOf(1)]);
    expect(code).toBe(0);
  });

  it.each([['cumulative'], ['delta']])('counts right over several exports: %s', async (temporality) => {
    const { child, url, ended } = await startTail();
    await play(url, { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: temporality }, 2);
    child.kill('SIGTERM');
    expect(masked((await ended).stdout)).toEqual([...OPERATIONS, headerOf(1), ...OPERATIONS, headerOf(2)]);
  });

  it('is counted on when it is started again', async () => {
    const { child, url, ended } = await startTail();
    await play(url, { OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=host-1' });
    await play(url, { OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=host-1' });
    child.kill('SIGTERM');
    expect(masked((await ended).stdout).at(-1)).toBe(headerOf(2));
  });

  it.each<[string, string, (url: string) => Record<string, string>]>([
    [
      'over gRPC',
      'somebody sends over gRPC, which is not understood here.',
      () => ({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
    ],
    [
      'over TLS',
      'somebody sends over TLS (https://), which is not understood here.',
      (url) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url.replace('http:', 'https:') }),
    ],
    [
      'to another path',
      'an export came to an unknown path, and was refused. The paths are',
      (url) => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url }),
    ],
  ])('that sends %s is told about once', async (_, notice, env) => {
    const { child, url, ended } = await startTail();
    // The SDK fails, as it should.
    for (let n = 0; n < 2; n += 1)
      await play(url, { OTEL_EXPORTER_OTLP_TIMEOUT: '500', ...env(url) }).catch(() => {});
    child.kill('SIGTERM');
    expect((await ended).stderr.split('\n').filter((line) => line.startsWith('warning'))).toEqual([
      `warning: ${notice}`,
    ]);
  });
});

/** Sends one operation that succeeded. */
async function sendOperation(url: string): Promise<void> {
  await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      traces([span({ end: 25, attributes: { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: 'execute' } })]),
    ),
  });
}

describe('until somebody ends it', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s, and then it prints both rates and ends with 0',
    async (signal) => {
      const { child, ended } = await startTail();
      child.kill(signal);
      expect(await ended).toMatchObject({
        code: 0,
        stdout:
          'fallback rate – (none yet) · re-acquire success – (none yet) · 0 operations, 0 failed · from 0 servers\n',
      });
    },
  );

  it('by closing the pipe that it writes to, quietly', async () => {
    const { child, url, written, ended } = await startTail();
    const before = written.stderr;
    child.stdout?.destroy();
    for (let n = 0; child.exitCode === null && n < 100; n += 1) await sendOperation(url).catch(() => {});
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: before });
  });
});

it.skipIf(!existsSync('/dev/full')).each([[[]], [['--once']]])(
  'a full disk ends it with 1 and says so: %j',
  async (args) => {
    const full = openSync('/dev/full', 'w');
    const { child, url, ended } = await startTail(args, {}, full);
    closeSync(full);
    await sendOperation(url);
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect([code, stderr.slice(stderr.indexOf('error'))]).toEqual([
      1,
      'error: ENOSPC: no space left on device, write\n',
    ]);
  },
);

it('goes on where nobody reads its notices any more', async () => {
  const { child, url, written, ended } = await startTail();
  child.stderr?.destroy();
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(traces(Array(50_000).fill({}))),
  });
  expect(response.status).toBe(413);
  await sendOperation(url);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect(written.stdout.split('\n').length).toBe(3);
});

it('it says what it waits for, and how a server comes to send there', async () => {
  const { url, written } = await startTail();
  expect(written.stderr).toBe(
    `Waiting on ${url} for a Paperclip server.
In another terminal, start one that sends here:
  OTEL_EXPORTER_OTLP_ENDPOINT=${url} npx opentelemetry-instrumentation-paperclip run --start -- npx paperclipai run
Operations come within seconds, the rates with metrics: every 60 s, or as
OTEL_METRIC_EXPORT_INTERVAL says (in ms).
`,
  );
});

it('colours are as the variables say', async () => {
  const { child, url, ended } = await startTail([], { FORCE_COLOR: '1' });
  await sendOperation(url);
  child.kill('SIGTERM');
  expect((await ended).stdout).toContain(
    `${new Date(NOON + 25).toTimeString().slice(0, 8)}.025 execute                                    25 ms \u001B[32mok\u001B[0m\n`,
  );
});

describe('--once', () => {
  it('ends with a summary, as soon as operations and their metrics have come', async () => {
    const { url, ended } = await startTail(['--once', '--wait', '100']);
    // By then nobody listens to what the SDK would send at its end.
    await runNode([HOST, '1'], { env: toTail(url), onOutput: (_, kill) => kill('SIGKILL') });
    const { code, stdout } = await ended;
    expect({ code, stdout: stdout.split('\n') }).toEqual({
      code: 0,
      stdout: [
        'acquire_run_lease    ok                            1',
        'execute              ok                            1',
        'open_duplex_channel  missing-metadata-field        1',
        'open_duplex_channel  ok                            1',
        'open_duplex_channel  unsupported-driver-operation  1',
        headerOf(1),
        '',
      ],
    });
  });

  it('ends with a summary of what came, once the time is over', async () => {
    const { url, ended } = await startTail(['--once', '--wait', '3']);
    await sendOperation(url);
    expect(await ended).toMatchObject({
      code: 0,
      stdout:
        'execute  ok  1\nfallback rate – (none yet) · re-acquire success – (none yet) · 1 operation, 0 failed · from 1 server\n',
    });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with a summary of what came, by %s', async (signal) => {
    const { child, url, ended } = await startTail(['--once']);
    await sendOperation(url);
    child.kill(signal);
    const { code, stdout } = await ended;
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'execute  ok  1']);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends quietly where nothing came before %s, with %d', async (signal, code) => {
    const { child, written, ended } = await startTail(['--once']);
    const before = written.stderr;
    child.kill(signal);
    expect(await ended).toMatchObject({ code, signal: null, stdout: '', stderr: before });
  });

  it('ends with 1 where nothing came, and says why that may be', async () => {
    const { code, stdout, stderr } = await (await startTail(['--once', '--wait', '1'])).ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.slice(stderr.indexOf('error'))).toBe(
      `error: nothing of this package came within 1 s, and no other span.
It may be that
  - no server has the preload, or it sends elsewhere, which this finds out:
    npx opentelemetry-instrumentation-paperclip doctor
  - the server had no lease operation yet: run an agent, or probe a sandbox
    environment
  - it came too late: --wait waits longer
`,
    );
  });
});

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');
it.skipIf(!hasIPv6).each(['::1', '[::1]', ' ::1 '])('--host %j listens there', async (host) => {
  const { written } = await startTail(['--host', host]);
  expect(written.stderr).toContain('Waiting on http://[::1]:');
});

it('a port in use ends it with 1 and a way out', async () => {
  const { url } = await startTail();
  const port = new URL(url).port;
  const { code, stdout, stderr } = await runNode([COMMAND, 'tail', '--port', port]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `error: port ${port} of 127.0.0.1 is in use, by a collector or another tail. End that, or choose another with --port ${Number(port) + 1} and for the server with OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${Number(port) + 1}\n`,
  );
});
