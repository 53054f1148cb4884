import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../examples/demo/main.mjs', import.meta.url));
const OPTIONS = new URL('../examples/demo/options.mjs', import.meta.url).href;
const LEDGER = new URL('../examples/demo/ledger.mjs', import.meta.url).href;
const AGREEMENT =
  /^ledger and metrics agree: \d+ operations, \d+ requests for a channel, \d+ re-acquires, \d+ channels \(\d+ lost\)$/m;
const MISSING = 'missing-metadata-field';
const UNSUPPORTED = 'unsupported-driver-operation';

describe('npm run demo', () => {
  it('shows refusals and recoveries, agrees with its ledger, and ends by itself', async () => {
    const { code, stdout, stderr } = await start(['--port', '0']).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(AGREEMENT);
    expect(stdout).toMatch(
      lines(
        /^POST \/leases\/\{id\}\/duplex-by-hand {2}\d+×, for example:/,
        /├─ open_duplex_channel sandbox +[\d.]+ m?s {2}daytona +plugin_incomplete {2}✗ missing-metadata-field/,
        /│ {4}error record: sandbox-duplex-channel-needs-a-plugin-id-a-provid/,
        /│ {4}the lease lacks metadata.pluginId, metadata.provider/,
        /├─ acquire_run_lease sandbox +[\d.]+ m?s {2}daytona +absent +created/,
        /│ {4}↩ reacquire: recovers from open_duplex_channel sandbox above/,
        /└─ open_duplex_channel sandbox +[\d.]+ m?s {2}daytona +plugin_complete/,
        / {5}↩ reacquire: recovers from open_duplex_channel sandbox above/,
      ),
    );
    expect(stdout).toMatch(
      lines(
        /├─ open_duplex_channel sandbox +[\d.]+ m?s {2}e2b +non_plugin +✗ unsupported-driver-operation/,
        /│ {4}error record: sandbox-driver-does-not-support-duplex-channels-fo/,
        /└─ execute sandbox +[\d.]+ m?s {2}e2b +non_plugin +exit code [01]/,
        / {5}↩ fallback: recovers from open_duplex_channel sandbox above/,
      ),
    );
    expect(stdout).toMatch(
      lines(
        /^POST \/leases\/\{id\}\/duplex {2}\d+×, for example:/,
        /└─ execute sandbox +[\d.]+ m?s {2}e2b +non_plugin +exit code [01]/,
        / {5}↩ fallback before any open was refused: the lease alone told that it would be/,
      ),
    );
    expect(stdout).toMatch(
      /^POST \/leases\/\{id\}\/execute {2}\d+×, for example:\n└─ execute sandbox .* ✗ timeout$/m,
    );
    expect(stdout).toMatch(/^ {3}└─ release_run_lease sandbox .* ✗ lease_cleanup_failed$/m);
    expect(tableOf(stdout, 'Recovery')).toEqual([
      'provider    total  opened  fallback  failed  by design  fallback rate  re-acquires                   success',
      '_OTHER         16       8         3       5          0            19%  5 still_incomplete                 0%',
      'daytona        13      11         0       2          0             0%  5 succeeded, 2 not_attempted     100%',
      'e2b            14       4         8       2          0            57%  -                                   -',
      'kubernetes     11       5         0       3          3             0%  3 acquire_failed                   0%',
    ]);
    expect(tableOf(stdout, 'Channels')).toEqual([
      'provider    still open  ended                                 bytes to the sandbox  bytes from it',
      '_OTHER               0  2 exit, 6 closed                                       104            120',
      'daytona              0  2 exit, 9 closed                                       143            180',
      'e2b                  0  1 exit, 2 transport_closed, 1 closed                    52             20',
      'kubernetes           0  1 exit, 4 closed                                        65             80',
    ]);
    expect(tableOf(stdout, 'Bridge')).toEqual([
      'provider  forwarded requests  channels lost                     sessions left over',
      '_OTHER    1 error             1 post_dispatch provider_exit                      0',
      'daytona   3 ok                -                                                  0',
      'e2b       2 error             2 post_dispatch transport_closed                   2',
    ]);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('in-house-sandboxes');
  });

  it('counts the same for the same seed, and other things for another, also side by side', async () => {
    const demos = ['7', '7', '8'].map((seed) => start(['--port', '0', '--requests', '30', '--seed', seed]));
    const [first, second, other] = await Promise.all(demos.map(async ({ ended }) => counts(await ended)));
    expect(first).not.toHaveLength(0);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('serves the metrics to Prometheus until it is told to end', async () => {
    const demo = start(['--port', '0', '--requests', '24', '--seed', '2519', '--keep-running']);
    const url = await demo.printed(/http:\/\/127\.0\.0\.1:\d+\/metrics/);
    const metrics = await (await fetch(url)).text();
    for (const type of [
      'paperclip_environment_operation_duration_seconds histogram',
      'paperclip_environment_operation_active gauge',
      'paperclip_lease_duration_seconds histogram',
      'paperclip_lease_reacquire_duration_seconds histogram',
      'paperclip_duplex_channel_active gauge',
      'paperclip_duplex_channel_duration_seconds histogram',
      'paperclip_duplex_channel_io_bytes_total counter',
      'paperclip_duplex_forward_duration_seconds histogram',
    ]) {
      expect(metrics).toContain(`# TYPE ${type}`);
    }
    const created = { paperclip_lease_acquisition_outcome: 'created' };
    const missing = { error_type: MISSING };
    const unsupported = { error_type: UNSUPPORTED };
    expect(points(metrics, 'paperclip_environment_operation_duration_seconds_count')).toEqual(
      [
        point(
          { paperclip_environment_operation_name: 'release_run_leases', paperclip_lease_shape: 'absent' },
          24,
        ),
        operationPoint('acquire_run_lease', 'local', undefined, 'absent', 1),
        operationPoint('acquire_run_lease', 'plugin', '_OTHER', 'absent', 1),
        operationPoint('acquire_run_lease', 'sandbox', '_OTHER', 'absent', 3, created),
        operationPoint('acquire_run_lease', 'sandbox', 'daytona', 'absent', 10, created),
        operationPoint('acquire_run_lease', 'sandbox', 'e2b', 'absent', 6, created),
        operationPoint('acquire_run_lease', 'sandbox', 'kubernetes', 'absent', 1, {
          error_type: 'QUOTA_EXCEEDED',
        }),
        operationPoint('acquire_run_lease', 'sandbox', 'kubernetes', 'absent', 5, created),
        operationPoint('acquire_run_lease', 'ssh', undefined, 'absent', 1),
        operationPoint('execute', 'plugin', '_OTHER', 'non_plugin', 1),
        operationPoint('execute', 'sandbox', 'e2b', 'non_plugin', 3),
        operationPoint('execute', 'sandbox', 'kubernetes', 'plugin_complete', 1),
        operationPoint('execute', 'sandbox', 'kubernetes', 'plugin_complete', 2, { error_type: 'timeout' }),
        operationPoint('open_duplex_channel', 'plugin', '_OTHER', 'non_plugin', 1, unsupported),
        operationPoint('open_duplex_channel', 'sandbox', '_OTHER', 'plugin_complete', 1),
        operationPoint('open_duplex_channel', 'sandbox', '_OTHER', 'plugin_incomplete', 1, missing),
        operationPoint('open_duplex_channel', 'sandbox', 'daytona', 'plugin_complete', 5),
        operationPoint('open_duplex_channel', 'sandbox', 'daytona', 'plugin_incomplete', 4, missing),
        operationPoint('open_duplex_channel', 'sandbox', 'e2b', 'non_plugin', 3, unsupported),
        operationPoint('open_duplex_channel', 'sandbox', 'e2b', 'plugin_complete', 2),
        operationPoint('open_duplex_channel', 'sandbox', 'kubernetes', 'plugin_complete', 1),
        operationPoint('open_duplex_channel', 'sandbox', 'kubernetes', 'plugin_incomplete', 1, missing),
        operationPoint('release_run_lease', 'local', undefined, 'non_plugin', 1),
        operationPoint('release_run_lease', 'plugin', '_OTHER', 'non_plugin', 1),
        operationPoint('release_run_lease', 'sandbox', '_OTHER', 'plugin_complete', 1),
        operationPoint('release_run_lease', 'sandbox', '_OTHER', 'plugin_incomplete', 2, {
          error_type: 'lease_cleanup_failed',
        }),
        operationPoint('release_run_lease', 'sandbox', 'daytona', 'plugin_complete', 5),
        operationPoint('release_run_lease', 'sandbox', 'daytona', 'plugin_incomplete', 5),
        operationPoint('release_run_lease', 'sandbox', 'e2b', 'non_plugin', 4),
        operationPoint('release_run_lease', 'sandbox', 'e2b', 'plugin_complete', 2),
        operationPoint('release_run_lease', 'sandbox', 'kubernetes', 'plugin_complete', 4),
        operationPoint('release_run_lease', 'sandbox', 'kubernetes', 'plugin_incomplete', 1),
        operationPoint('release_run_lease', 'ssh', undefined, 'non_plugin', 1),
      ].sort(),
    );
    const fallenBack = { paperclip_duplex_fallback_reason: UNSUPPORTED };
    const refusedBridge = { paperclip_duplex_fallback_reason: 'channel_open_failed', ...unsupported };
    expect(points(metrics, 'paperclip_duplex_requests_total')).toEqual(
      [
        requestPoint('_OTHER', 'opened', 1),
        requestPoint('_OTHER', 'fallback', 1, { ...fallenBack, ...unsupported }),
        requestPoint('_OTHER', 'failed', 1, missing),
        requestPoint('daytona', 'opened', 5),
        requestPoint('daytona', 'failed', 3, missing),
        requestPoint('e2b', 'opened', 2),
        requestPoint('e2b', 'fallback', 1, { ...fallenBack, ...unsupported }),
        // No open was refused: openDuplexChannelWithRecovery did not try one on that lease.
        requestPoint('e2b', 'fallback', 1, fallenBack),
        requestPoint('e2b', 'fallback', 1, refusedBridge),
        requestPoint('e2b', 'failed', 1, unsupported),
        requestPoint('kubernetes', 'opened', 1),
        requestPoint('kubernetes', 'fallback', 1, { paperclip_duplex_fallback_reason: 'gate_off' }),
        requestPoint('kubernetes', 'failed', 1, missing),
      ].sort(),
    );
    expect(points(metrics, 'paperclip_lease_reacquires_total')).toEqual(
      [
        reacquirePoint('_OTHER', 'still_incomplete', 1),
        reacquirePoint('daytona', 'succeeded', 2),
        reacquirePoint('daytona', 'not_attempted', 3),
        reacquirePoint('kubernetes', 'acquire_failed', 1),
      ].sort(),
    );
    expect(points(metrics, 'paperclip_duplex_losses_total')).toEqual(
      [lossPoint('_OTHER', 'provider_exit', 1), lossPoint('e2b', 'transport_closed', 1)].sort(),
    );
    expect(points(metrics, 'paperclip_duplex_session_leaks_total')).toEqual([
      point({ paperclip_environment_provider: 'e2b' }, 1),
    ]);
    expect(points(metrics, 'paperclip_duplex_forward_duration_seconds_count')).toEqual(
      [
        forwardPoint('_OTHER', 'error', 1),
        forwardPoint('daytona', 'ok', 2),
        forwardPoint('e2b', 'error', 1),
      ].sort(),
    );
    demo.child.kill('SIGTERM');
    const { code, stdout, stderr } = await demo.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(new RegExp(AGREEMENT, 'gm'))).toHaveLength(2);
  });

  it('keeps to its own set-up whatever OTEL_* variables say', async () => {
    const { server, port } = await listen();
    let requests = 0;
    server.on('connection', () => {
      requests += 1;
    });
    const { code, stdout, stderr } = await start(['--port', '0', '--requests', '5'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_TRACES_SAMPLER: 'always_off',
      OTEL_LOG_LEVEL: 'debug',
      OTEL_SDK_DISABLED: 'true',
    }).ended;
    expect({ code, stderr, requests }).toEqual({ code: 0, stderr: '', requests: 0 });
    expect(stdout).toMatch(AGREEMENT);
    expect(stdout).toContain('open_duplex_channel sandbox');
  });

  it('sends traces, whose first spans say the provider and how a wish for a channel ended', async () => {
    const bodies: string[] = [];
    const { port } = await listen(async (request) => {
      bodies.push(`${request.url} ${await text(request)}`);
    });
    const url = `http://127.0.0.1:${port}`;
    const { code, stdout, stderr } = await start(['--port', '0', '--otlp', url]).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Traces were sent to ${url}, as those of the service paperclip-demo\n`);
    const requests = bodies.map((body) => body.split(/ (.*)/s) as [path: string, json: string]);
    expect(new Set(requests.map(([path]) => path))).toEqual(new Set(['/v1/traces']));
    const resources = requests.flatMap(([, json]) => JSON.parse(json).resourceSpans as ResourceSpans[]);
    const services = resources.map(({ resource }) => attributesOf(resource)['service.name']);
    expect(new Set(services)).toEqual(new Set(['paperclip-demo']));
    const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    expect(spans.map(({ name }) => name)).toContain('open_duplex_channel sandbox');
    const found = spans
      .filter(({ parentSpanId }) => !parentSpanId)
      .map((span) => {
        const attributes = attributesOf(span);
        return [
          span.name,
          attributes['paperclip.environment.provider'] ?? '-',
          attributes['paperclip.duplex.outcome'] ?? '-',
        ].join(' ');
      });
    expect([...new Set(found)].sort()).toEqual([
      'DELETE /runs/{id} - -',
      'POST /leases - -',
      'POST /leases _OTHER -',
      'POST /leases daytona -',
      'POST /leases e2b -',
      'POST /leases kubernetes -',
      'POST /leases/{id}/bridge _OTHER opened',
      'POST /leases/{id}/bridge daytona opened',
      'POST /leases/{id}/bridge e2b opened',
      'POST /leases/{id}/bridge kubernetes fallback',
      'POST /leases/{id}/duplex _OTHER failed',
      'POST /leases/{id}/duplex _OTHER opened',
      'POST /leases/{id}/duplex daytona opened',
      'POST /leases/{id}/duplex e2b fallback',
      'POST /leases/{id}/duplex e2b opened',
      'POST /leases/{id}/duplex-by-hand _OTHER fallback',
      'POST /leases/{id}/duplex-by-hand daytona opened',
      'POST /leases/{id}/duplex-by-hand e2b fallback',
      'POST /leases/{id}/duplex-by-hand kubernetes failed',
      'POST /leases/{id}/duplex-by-hand kubernetes opened',
      'POST /leases/{id}/duplex-only daytona failed',
      'POST /leases/{id}/duplex-only e2b failed',
      'POST /leases/{id}/execute kubernetes -',
    ]);
  });

  it('says that traces could not be sent', async () => {
    const { server, port } = await listen();
    server.close();
    const url = `http://127.0.0.1:${port}`;
    const { code, stderr } = await start(['--port', '0', '--requests', '5', '--otlp', url]).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `demo: traces cannot be sent to ${url}: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    });
  });

  it('names a port that is in use', async () => {
    const { port } = await listen();
    expect(await start(['--port', String(port)]).ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `demo: port ${port} is in use; choose another with --port, or any free one with --port 0\n`,
    });
  });

  it('answers wrong usage with one line', async () => {
    expect(await start(['--seed', 'abc']).ended).toEqual({
      code: 2,
      stdout: '',
      stderr: 'demo: --seed must be a whole number from 0 to 4294967295, not "abc"\n',
    });
  });

  const options = 'the options are --seed, --requests, --port, --otlp, --keep-running, --help';
  it.each([
    [['--nonsense'], `unknown argument "--nonsense"; ${options}`],
    [['more'], `unknown argument "more"; ${options}`],
    [['--seed'], '--seed must be a whole number from 0 to 4294967295, not nothing'],
    [['--requests', '0'], '--requests must be a whole number from 1 to 10000, not "0"'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535, not "70000"'],
    [['--port', '-1\n'], '--port must be a whole number from 0 to 65535, not "-1\\n"'],
    [['--otlp'], '--otlp must be a URL such as http://localhost:4318, not nothing'],
    [
      ['--otlp', 'localhost:4318'],
      '--otlp must be a URL such as http://localhost:4318, not "localhost:4318"',
    ],
    [['--keep-running=no'], '--keep-running takes no value'],
  ])('does not take %j', async (args, message) => {
    const { readOptions } = await import(OPTIONS);
    expect(() => readOptions(args)).toThrow(new Error(message));
  });

  it('explains its options', async () => {
    const { code, stdout } = await start(['--help']).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('--keep-running');
  });
});

describe("the demo's ledger", () => {
  it('names each row in which it and the metrics differ', async () => {
    const { Ledger, operationRow, reacquireRow, requestRow } = await import(LEDGER);
    const release = operationRow({ operation: 'release_run_leases', shape: 'absent', outcome: 'ok' });
    const fallback = requestRow('e2b', 'fallback');
    const succeeded = reacquireRow('daytona', 'succeeded');
    const ledger = new Ledger();
    ledger.add(release);
    ledger.add(fallback, 2);
    ledger.add(succeeded);
    ledger.add(succeeded);
    const agreeing = [
      [release, 1],
      [fallback, 2],
      [succeeded, 2],
      [requestRow('e2b', 'failed'), 0],
    ];
    expect(ledger.differences(agreeing)).toEqual([]);
    expect(
      ledger.differences([
        [fallback, 1],
        [succeeded, 2],
        [reacquireRow('-', 'not_retried'), 1],
      ]),
    ).toEqual([
      'release_run_leases - - absent ok: ledger 1, metrics 0',
      'duplex request e2b fallback: ledger 2, metrics 1',
      're-acquire - not_retried: ledger 0, metrics 1',
    ]);
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What OTLP says in JSON, of what is read here. */
interface ResourceSpans {
  readonly resource: Attributed;
  readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
}
interface Attributed {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}
interface Span extends Attributed {
  readonly name: string;
  readonly parentSpanId?: string;
}

function attributesOf({ attributes }: Attributed): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts the demo, in a folder that is not the project's. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: tmpdir(), env: { ...process.env, ...env } });
  children.push(child);
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      texts[stream] += chunk;
    });
  }
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, ...texts }));
  return {
    child,
    ended,
    /** Waits until the demo has printed what matches, and returns it. */
    async printed(pattern: RegExp): Promise<string> {
      for (;;) {
        const [match] = pattern.exec(texts.stdout) ?? [];
        if (match !== undefined) return match;
        await Promise.race([once(child.stdout, 'data'), ended.then(failWith)]);
      }
    },
  };
}

function failWith({ code, stderr }: Ended): never {
  throw new Error(`the demo ended early with exit code ${code}: ${stderr}`);
}

/** A server of the test's own on a port that is free by chance. */
async function listen(take?: (request: IncomingMessage) => Promise<void>) {
  const server = createServer(async (request, response) => {
    await take?.(request);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** The rows of all tables, without times. */
function counts({ stdout }: Ended): string[] {
  const operations = tableOf(stdout, 'Operations').map((row) => row.replace(/ +(\S+ m?s|~p95)$/, ''));
  const others = ['Recovery', 'Channels', 'Bridge'].flatMap((title) => tableOf(stdout, title));
  return [...operations, ...others];
}

/** The lines of the table in a section of the report. */
function tableOf(stdout: string, title: string): string[] {
  const [, section = ''] = stdout.split(new RegExp(`^${title}  .*\\n\\n`, 'm'));
  return (section.split('\n\n')[0] ?? '').split('\n');
}

/** The points of one metric in Prometheus' text format. */
function points(metrics: string, name: string): string[] {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => {
      const labels = [...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]);
      const { otel_scope_name, otel_scope_version, ...rest } = Object.fromEntries(labels);
      expect(otel_scope_name).toBe('opentelemetry-instrumentation-paperclip');
      expect(otel_scope_version).toBeDefined();
      return point(rest, Number(line.split(' ').at(-1)));
    })
    .sort();
}

/** A point as one line of text, in whatever order its labels came. */
function point(labels: Record<string, string>, value: number): string {
  const texts = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return `${texts.sort().join(' ')} ${value}`;
}

function operationPoint(
  operation: string,
  driver: string,
  provider: string | undefined,
  shape: string,
  value: number,
  more: Record<string, string> = {},
): string {
  const labels = {
    paperclip_environment_operation_name: operation,
    paperclip_environment_driver: driver,
    ...(provider && { paperclip_environment_provider: provider }),
    paperclip_lease_shape: shape,
  };
  return point({ ...labels, ...more }, value);
}

function requestPoint(
  provider: string,
  outcome: string,
  value: number,
  more: Record<string, string> = {},
): string {
  const labels = { paperclip_environment_provider: provider, paperclip_duplex_outcome: outcome };
  return point({ ...labels, ...more }, value);
}

function reacquirePoint(provider: string, outcome: string, value: number): string {
  return point(
    { paperclip_environment_provider: provider, paperclip_lease_reacquire_outcome: outcome },
    value,
  );
}

function lossPoint(provider: string, reason: string, value: number): string {
  return point(
    {
      paperclip_environment_provider: provider,
      paperclip_duplex_loss_class: 'post_dispatch',
      paperclip_duplex_loss_reason: reason,
    },
    value,
  );
}

function forwardPoint(provider: string, outcome: string, value: number): string {
  return point(
    { paperclip_environment_provider: provider, paperclip_duplex_forward_outcome: outcome },
    value,
  );
}

function lines(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('\\n'), 'm');
}
