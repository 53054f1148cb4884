/** `tail` beside the real server, which `run --start` starts: what a terminal shows of agents in sandboxes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TAIL } from '../../support/readme.js';
import { expectRecorded } from './recording.js';
import { SERVER_NODE } from './server.mjs';
import { PROVIDER_KEY, Site } from './site.js';

const COMMAND = join(
  import.meta.dirname,
  '../node_modules/opentelemetry-instrumentation-paperclip/dist/cli/main.js',
);

const folder = mkdtempSync(join(tmpdir(), 'paperclip-tail-'));
let site: Site;
let shown: ChildProcess;
let stdout = '';
let exitCode: number | null;

beforeAll(async () => {
  const url = await startTail();
  site = await Site.create();
  const server = await site.boot({
    node: runner(),
    env: {
      OTEL_INSTRUMENTATION_PAPERCLIP_PROVIDERS: PROVIDER_KEY,
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/v1/metrics`,
    },
  });
  const { paperclip } = site;
  await paperclip.enableDuplexChannels();
  const refusing = await site.createEnvironment('Refusing', { duplexChannelOpen: 'refuse' });
  await site.run(refusing);
  const losing = await site.createEnvironment('Losing', { environmentAcquireLease: 'drop-id' });
  const agent = await site.createAgent(losing);
  const issue = await paperclip.createIssue(site.companyId, agent, 'Work');
  await paperclip.run(agent, issue.id);
  await site.changeEnvironment(losing, {});
  await paperclip.run(agent, issue.id);
  await site.leaseRows();
  await server.stop();
  shown.kill('SIGINT');
  [exitCode] = await once(shown, 'close');
});

afterAll(async () => {
  shown?.kill('SIGKILL');
  await site?.close();
  rmSync(folder, { recursive: true });
});

const RELEASES = ['T release_run_lease     sandbox folders D ok', 'T release_run_leases D ok'];
const ACQUIRED = 'T acquire_run_lease     sandbox folders D ok';
const REALIZED = 'T realize_workspace     sandbox folders D ok';
const EXECUTED = 'T execute               sandbox folders D ok';
const FELL_BACK = 'T ↳ execute             sandbox folders D ok ← open_duplex_channel T (fallback)';

it('shows every operation as it ended, what it recovers from, and both rates', () => {
  expect(exitCode).toBe(0);
  expect(shortened(stdout).map(mask)).toEqual([
    // A provider that refuses channels.
    ...[ACQUIRED, REALIZED, EXECUTED],
    'T open_duplex_channel   sandbox folders D WORKER_ERROR',
    ...[FELL_BACK, EXECUTED, ...RELEASES],
    // A lease without the provider's id of it, and the next run of the same issue, on a fresh one.
    ...[ACQUIRED, REALIZED, EXECUTED],
    'T open_duplex_channel   sandbox folders D missing-metadata-field: providerLeaseId',
    ...[FELL_BACK, EXECUTED, ...RELEASES],
    'T ↳ acquire_run_lease   sandbox folders D ok ← open_duplex_channel T (reacquire)',
    ...[REALIZED, EXECUTED],
    'T ↳ open_duplex_channel sandbox folders D ok ← open_duplex_channel T (reacquire)',
    ...[EXECUTED, ...RELEASES],
    'fallback rate 66.7 % (2 of 3) · re-acquire success 100 % (1 of 1) · N operations, 2 failed · from 1 server · N other spans',
  ]);
});

it('is what README shows', () => {
  expectRecorded('tail', TAIL, shortened(stdout), (text) => text.split('\n').map(mask).join('\n'));
});

/** @returns where it listens */
async function startTail(): Promise<string> {
  shown = spawn(process.execPath, [COMMAND, 'tail', '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  shown.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  shown.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  for (;;) {
    const url = /http:\/\/[\d.:]+/.exec(stderr)?.[0];
    if (url !== undefined) return url;
    if (shown.exitCode !== null) throw new Error(stderr);
    await delay(20);
  }
}

/** A program that takes the place of the server's Node.js, and starts it as the command `run` does. */
function runner(): string {
  const file = join(folder, 'node');
  writeFileSync(file, `#!/bin/sh\nexec '${SERVER_NODE}' '${COMMAND}' run --start -- '${SERVER_NODE}' "$@"\n`);
  chmodSync(folder, 0o755);
  chmodSync(file, 0o755);
  return file;
}

/**
 * The lines, and of those that say the same in a row only the first: how many commands it takes Paperclip to prepare a sandbox
 * and to wait for the agent is not what this is about.
 */
function shortened(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  return lines.filter((line, n) => mask(line) !== mask(lines[n - 1] ?? ''));
}

/** Times, durations and large counts as letters. */
function mask(line: string): string {
  return line
    .replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, 'T')
    .replace(/ +[\d.]+ m?s /, ' D ')
    .replace(/\d+ operations/, 'N operations')
    .replace(/\d+ other spans/, 'N other spans');
}
