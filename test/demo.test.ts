import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../examples/demo/main.mjs', import.meta.url));
const LEDGER = new URL('../examples/demo/ledger.mjs', import.meta.url).href;
const AGREEMENT = /^ledger and metrics agree: (\d+) operations$/m;

describe('npm run demo', { timeout: 60_000 }, () => {
  it('shows refusals and recoveries, agrees with its ledger, and ends by itself', async () => {
    const { code, stdout, stderr } = await start(['--port', '0']).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(AGREEMENT);
    expect(stdout).toMatch(
      lines(
        /├─ open_duplex_channel sandbox +[\d.]+ m?s {2}\w+ +plugin_incomplete {2}✗ missing-metadata-field/,
        /│ {4}error record: sandbox-duplex-channel-needs-a-plugin-id-a-provid/,
        /│ {4}the lease lacks [\w., ]+/,
        /├─ acquire_run_lease sandbox +[\d.]+ m?s {2}\w+ +absent +created/,
        /└─ open_duplex_channel sandbox +[\d.]+ m?s {2}\w+ +plugin_complete/,
      ),
    );
    expect(stdout).toMatch(
      lines(
        /├─ open_duplex_channel sandbox +[\d.]+ m?s {2}e2b +non_plugin +✗ unsupported-driver-operation/,
        /│ {4}error record: sandbox-driver-does-not-support-duplex-channels-fo/,
        /└─ execute sandbox +[\d.]+ m?s {2}e2b +non_plugin +exit code [01]/,
      ),
    );
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
    const demo = start(['--port', '0', '--requests', '12', '--seed', '3', '--keep-running']);
    const url = await demo.printed(/http:\/\/127\.0\.0\.1:\d+\/metrics/);
    const metrics = await (await fetch(url)).text();
    expect(metrics).toContain('# TYPE paperclip_environment_operation_duration_seconds histogram');
    expect(metrics).toContain('# TYPE paperclip_environment_operation_active gauge');
    expect(metrics).toContain('# TYPE paperclip_lease_duration_seconds histogram');
    const created = { paperclip_lease_acquisition_outcome: 'created' };
    const missing = { error_type: 'missing-metadata-field' };
    const unsupported = { error_type: 'unsupported-driver-operation' };
    expect(points(metrics, 'paperclip_environment_operation_duration_seconds_count')).toEqual(
      [
        point(
          { paperclip_environment_operation_name: 'release_run_leases', paperclip_lease_shape: 'absent' },
          12,
        ),
        sandboxPoint('acquire_run_lease', '_OTHER', 'absent', 2, created),
        sandboxPoint('acquire_run_lease', 'daytona', 'absent', 4, created),
        sandboxPoint('acquire_run_lease', 'e2b', 'absent', 4, created),
        sandboxPoint('acquire_run_lease', 'kubernetes', 'absent', 4, created),
        sandboxPoint('execute', 'e2b', 'non_plugin', 2),
        sandboxPoint('execute', 'kubernetes', 'plugin_complete', 2),
        sandboxPoint('open_duplex_channel', '_OTHER', 'plugin_complete', 2),
        sandboxPoint('open_duplex_channel', 'daytona', 'plugin_complete', 2),
        sandboxPoint('open_duplex_channel', 'daytona', 'plugin_incomplete', 2, missing),
        sandboxPoint('open_duplex_channel', 'e2b', 'non_plugin', 2, unsupported),
        sandboxPoint('open_duplex_channel', 'e2b', 'plugin_complete', 2),
        sandboxPoint('open_duplex_channel', 'kubernetes', 'plugin_complete', 2),
        sandboxPoint('release_run_lease', '_OTHER', 'plugin_complete', 2),
        sandboxPoint('release_run_lease', 'daytona', 'plugin_complete', 2),
        sandboxPoint('release_run_lease', 'daytona', 'plugin_incomplete', 2),
        sandboxPoint('release_run_lease', 'e2b', 'non_plugin', 2),
        sandboxPoint('release_run_lease', 'e2b', 'plugin_complete', 2),
        sandboxPoint('release_run_lease', 'kubernetes', 'plugin_complete', 4),
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

  it('names a port that is in use', async () => {
    const { port } = await listen();
    expect(await start(['--port', String(port)]).ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `demo: port ${port} is in use; choose another with --port, or any free one with --port 0\n`,
    });
  });

  const options = 'the options are --seed, --requests, --port, --keep-running, --help';
  it.concurrent.each([
    [['--nonsense'], `unknown argument "--nonsense"; ${options}`],
    [['more'], `unknown argument "more"; ${options}`],
    [['--seed', 'abc'], '--seed must be a whole number from 0 to 4294967295, not "abc"'],
    [['--seed'], '--seed must be a whole number from 0 to 4294967295, not nothing'],
    [['--requests', '0'], '--requests must be a whole number from 1 to 10000, not "0"'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535, not "70000"'],
    [['--port', '-1\n'], '--port must be a whole number from 0 to 65535, not "-1\\n"'],
    [['--keep-running=no'], '--keep-running takes no value'],
  ])('answers %j with one line', async (args, message) => {
    expect(await start(args).ended).toEqual({ code: 2, stdout: '', stderr: `demo: ${message}\n` });
  });

  it('explains its options', async () => {
    const { code, stdout } = await start(['--help']).ended;
    expect(code).toBe(0);
    expect(stdout).toContain('--keep-running');
  });
});

describe("the demo's ledger", () => {
  it('names each kind of operation on which it and the metrics differ', async () => {
    const { Ledger } = await import(LEDGER);
    const execute = {
      operation: 'execute',
      driver: 'sandbox',
      provider: 'e2b',
      shape: 'non_plugin',
      outcome: 'ok',
    };
    const release = { operation: 'release_run_leases', shape: 'absent', outcome: 'ok' };
    const ledger = new Ledger();
    ledger.add(execute);
    ledger.add(execute);
    expect(ledger.differences([{ ...execute, count: 2 }])).toEqual([]);
    expect(
      ledger.differences([
        { ...execute, count: 1 },
        { ...release, count: 1 },
      ]),
    ).toEqual([
      'execute sandbox e2b non_plugin ok: ledger 2, metrics 1',
      'release_run_leases - - absent ok: ledger 0, metrics 1',
    ]);
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
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
async function listen() {
  const server = createServer((_request, response) => response.end());
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** The rows of the table of metrics, without their times. */
function counts({ stdout }: Ended): string[] {
  const rows = stdout.split('\n').map((line) => /^(.* \d+) +[\d.]+ m?s +[\d.]+ m?s$/.exec(line)?.[1]);
  return rows.filter((row) => row !== undefined);
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

function sandboxPoint(
  operation: string,
  provider: string,
  shape: string,
  value: number,
  more: Record<string, string> = {},
): string {
  const labels = {
    paperclip_environment_operation_name: operation,
    paperclip_environment_driver: 'sandbox',
    paperclip_environment_provider: provider,
    paperclip_lease_shape: shape,
  };
  return point({ ...labels, ...more }, value);
}

function lines(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('\\n'));
}
