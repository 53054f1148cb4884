/** README's "How do I switch it on?" and "Why do I see nothing?", typed by a reader who begins with an empty folder. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHECKS } from '../../../src/cli/doctor/checks.js';
import { PACKAGE_NAME } from '../../../src/version.js';
import {
  commandsOf,
  DOCTOR,
  DOCTOR_BEHIND_RUN,
  INSTALL,
  PAPERCLIP_ONBOARD,
  PAPERCLIP_RUN,
  PRELOAD,
  PROBE,
  REAL,
  RUN,
  RUN_WITHOUT_NPX,
  shellBlock,
  TAIL,
} from '../../support/readme.js';
import { expectRecorded } from './recording.js';
import { type Ended, Reader, type Session } from './terminal.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** A folder that has Paperclip's server and the package. */
const WORKSPACE = fileURLToPath(new URL('..', import.meta.url));

/** What an agent without a sandbox has done. */
const OPERATIONS = ['acquire_run_lease', 'realize_workspace', 'release_run_lease', 'release_run_leases'];

/** The recorded one has something to say. */
const MISSPELT = `OTEL_EXPORTER_OTLP_ENDPIONT=http://collector:4318 ${DOCTOR}`;

let reader: Reader;
let installed: Ended;
let tail: Session;
let onboarded: Ended;
let probed: Ended;
let diagnosis: Ended;
let behindRun: Ended;
let findings: Ended;
let misspelt: Ended;
let ran: Ended;
let preloaded: Ended;
let stopped: Ended;
const typed = new Set<string>();

/** A command of README, which counts as typed. */
function readme(command: string): string {
  typed.add(command);
  return command;
}

/** The block that starts an agent, for the server's own port. */
function probe(): Promise<Ended> {
  const block = shellBlock(PROBE[0]);
  for (const command of commandsOf(block)) readme(command);
  return reader.type(block.replace('localhost:3100', `localhost:${reader.port}`)).ended;
}

/** The operations that the tail has shown so far. */
function shown(): string[] {
  return [...tail.stdout.matchAll(/^\d\d:\d\d:\d\d\.\d{3} (\w+) .* ok$/gm)].map(([, name]) => name ?? '');
}

beforeAll(async () => {
  reader = await Reader.create();
  // Not published yet.
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', reader.folder], {
    cwd: ROOT,
  });
  const [tarball] = readdirSync(reader.folder);
  installed = await reader.install(readme(INSTALL).replace(PACKAGE_NAME, `./${tarball}`));
  // What npx would download, which takes minutes.
  const command = 'node_modules/.bin/paperclipai';
  symlinkSync(join(WORKSPACE, command), join(reader.folder, command));

  tail = reader.type(readme(TAIL));
  await tail.until(() => tail.stderr.includes('Waiting on http://127.0.0.1:4318'));
  const first = reader.type(RUN.replace(readme(PAPERCLIP_RUN), readme(PAPERCLIP_ONBOARD)));
  await reader.ready(first);
  onboarded = await reader.stop(first);

  const server = reader.type(readme(RUN));
  await reader.ready(server);
  probed = await probe();
  await tail.until(() => shown().length === OPERATIONS.length);
  diagnosis = await reader.type(readme(DOCTOR)).ended;
  behindRun = await reader.type(readme(DOCTOR_BEHIND_RUN)).ended;
  findings = await reader.type(`${DOCTOR} --json`).ended;
  misspelt = await reader.type(MISSPELT).ended;
  ran = await reader.stop(server);

  const behindPreload = reader.type(`OTEL_LOG_LEVEL=debug ${readme(PRELOAD)}`, WORKSPACE);
  await reader.ready(behindPreload);
  await probe();
  await tail.until(() => shown().length === 2 * OPERATIONS.length);
  preloaded = await reader.stop(behindPreload);
  tail.signal('SIGINT');

  const service = reader.type(`PATH="$PWD/node_modules/.bin:$PATH" exec ${readme(RUN_WITHOUT_NPX)}`);
  await reader.ready(service);
  service.signalFirst('SIGTERM');
  stopped = await service.ended;
}, 400_000);

afterAll(() => reader.close());

it('all commands that are said to be executed here were', () => {
  expect([...typed].toSorted()).toEqual(REAL.toSorted());
});

it('the package and the SDK are installed without an error', () => {
  expect(installed.code).toBe(0);
});

it('Paperclip can be onboarded behind the preload, and ends as it does without', () => {
  expect(onboarded.code).toBe(0);
});

it('an agent runs', () => {
  expect({ code: probed.code, status: JSON.parse(probed.stdout).status }).toEqual({
    code: 0,
    status: 'queued',
  });
});

it("tail shows the agent's operations, behind `run --start` and behind the preload", async () => {
  await tail.ended;
  expect(shown().toSorted()).toEqual([...OPERATIONS, ...OPERATIONS].toSorted());
});

it('doctor finds no problem', () => {
  expect({ code: diagnosis.code, stderr: diagnosis.stderr }).toEqual({ code: 0, stderr: '' });
  expect(diagnosis.stdout).not.toContain('✗');
});

it('doctor behind `run` sees the preload that a server gets', () => {
  expect(behindRun.code).toBe(0);
  expect(behindRun.stdout).toMatch(/^✓ Preload +\.\/start, by NODE_OPTIONS$/m);
});

it('doctor finds the same for machines', () => {
  expect(findings.code).toBe(0);
  const { preload, findings: all } = JSON.parse(findings.stdout);
  expect(preload).toBe('start');
  expect(all.filter(({ mark }: { mark: string }) => mark === 'problem')).toEqual([]);
  expect([...new Set(all.map(({ check }: { check: string }) => check))]).toEqual(CHECKS.map(({ id }) => id));
});

it('doctor says what to do about a misspelt variable, as README shows', () => {
  expect({ code: misspelt.code, problems: misspelt.stdout.match(/✗/g) }).toEqual({
    code: 1,
    problems: ['✗'],
  });
  const lines = misspelt.stdout
    .trimEnd()
    .replaceAll(reader.folder, '/srv/otel')
    .replaceAll(WORKSPACE.replace(/\/$/, ''), '/srv/paperclip')
    .split('\n');
  // Versions are what the registry had, and lines are broken where paths and versions let them be.
  expectRecorded('doctor', MISSPELT, lines, (text) =>
    text.replaceAll(/\n {17,}(?!→)/g, ' ').replaceAll(/\d+(?:\.\d+)+/g, 'V'),
  );
});

it('the server behind `run` ends as it does without', () => {
  expect(ran.code).toBe(0);
});

it('a SIGTERM to `run` alone ends the server, where npx is not between them', () => {
  expect(stopped.code).toBe(0);
  expect(stopped.stdout).toContain('"signal":"SIGTERM"');
});

it('with OTEL_LOG_LEVEL=debug the server says what was attached to', () => {
  const { dependencies } = JSON.parse(readFileSync(join(WORKSPACE, 'package.json'), 'utf8'));
  expect(preloaded.stdout + preloaded.stderr).toContain(
    `attached to @paperclipai/server ${dependencies['@paperclipai/server']} (layout: npm)\n`,
  );
});
