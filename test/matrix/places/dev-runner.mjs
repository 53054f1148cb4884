/**
 * The checkout of a fork that renames Paperclip's packages, started by `pnpm dev` as Paperclip's own is: pnpm runs a script behind
 * tsx, which parses what helpers print as JSON, and starts the server behind pnpm and tsx again. All of them inherit the
 * preload.
 */
import { deepStrictEqual, doesNotMatch, match, ok } from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { startOf } from '../cells.mjs';
import { pnpmProject, tools } from '../installs.mjs';
import { monorepo } from '../monorepo.mjs';
import { run } from '../process.mjs';

const CELL = { layout: 'checkout', paperclip: '2026.916.1', version: '0.3.1', scope: '@acme' };

/** In place of the real one, which needs a database. */
const STATUS = `console.log(JSON.stringify({ status: 'upToDate', pendingMigrations: [] }));`;

const RUNNER = `
  import { execFileSync, spawn } from 'node:child_process';
  const { PNPM, TSX } = process.env;
  const pnpm = (filter) => [PNPM, '--silent', '--filter', filter, 'exec', 'node', TSX];
  const output = execFileSync(process.execPath, [...pnpm('@acme/db'), 'src/migration-status.ts', '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(\`[acme] migrations: \${JSON.parse(output.trim()).status}\`);
  const server = spawn(process.execPath, [...pnpm('@acme/server'), 'src/index.ts'], { stdio: 'inherit' });
  server.on('exit', (code) => process.exit(code ?? 1));`;

/** As the real one, it loads its runtime and serves. An operation fails, an agent is started, and the metrics are scraped. */
const SERVER = `
  import { execFileSync } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  import { environmentRuntimeService } from './services/environment-runtime.ts';
  const service = environmentRuntimeService({}, { pluginWorkerManager: { getWorker: () => null } });
  await service
    .getDriver('sandbox')
    .openDuplexChannel({
      environment: { id: 'environment-1', driver: 'sandbox' },
      lease: { id: 'lease-1', companyId: 'company-1', metadata: {} },
      command: ['true'],
    })
    .catch(() => {});
  const response = await fetch(\`http://127.0.0.1:\${process.env.OTEL_EXPORTER_PROMETHEUS_PORT}/metrics\`);
  const agent = execFileSync(process.execPath, ['-p', 'process.env.NODE_OPTIONS ?? ""'], { encoding: 'utf8' });
  const report = { node: process.version, agent, metrics: await response.text() };
  writeFileSync(process.env.REPORT, JSON.stringify(report));
  console.log('[acme] ready');
  process.exit();`;

/** What of the checkout is ours. */
const FILES = {
  'package.json': {
    name: 'acme',
    private: true,
    type: 'module',
    scripts: { dev: 'node "$TSX" scripts/dev-runner.ts' },
  },
  // JSON is YAML too.
  'pnpm-workspace.yaml': { packages: ['packages/*', 'server'], verifyDepsBeforeRun: false },
  'scripts/dev-runner.ts': RUNNER,
  'packages/db/src/migration-status.ts': STATUS,
  'server/src/index.ts': SERVER,
};

export default {
  name: "a renamed fork's checkout under its own dev runner, on Node.js 20 and 24",
  promise:
    'the server alone has an SDK and the port for Prometheus; nothing is printed to the standard output; agents get no preload',
  async check(context) {
    const { tsx, pnpm } = await commands();
    const project = await pnpmProject(CELL.paperclip, context.tarball);
    const app = await monorepo(CELL, project, dirname(dirname(tsx)));
    for (const [path, content] of Object.entries(FILES)) put(join(app, path), content);
    await Promise.all(['20', '24'].map((line) => check(context, { app, tsx, pnpm }, line)));
  },
};

async function check({ scratch: parent, node, tree }, { app, tsx, pnpm }, line) {
  const executable = await node(line);
  const scratch = join(parent, line);
  mkdirSync(scratch);
  const report = join(scratch, 'report.json');
  const { code, stdout, stderr } = await run(executable, [pnpm, '--silent', 'dev'], {
    cwd: app,
    limit: 300,
    env: {
      PATH: `${dirname(executable)}${delimiter}${process.env.PATH}`,
      HOME: scratch,
      PAPERCLIP_HOME: scratch,
      PAPERCLIP_LOG_LEVEL: 'silent',
      PNPM: pnpm,
      TSX: tsx,
      REPORT: report,
      NODE_OPTIONS: `--import=${startOf(await tree())}`,
      OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES: '@acme/server',
      OTEL_LOG_LEVEL: 'debug',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_PORT: `${await freePort()}`,
    },
  });
  ok(code === 0, `ended with ${code}:\n${stdout}${stderr}`);
  deepStrictEqual(stdout, '[acme] migrations: upToDate\n[acme] ready\n');
  doesNotMatch(stderr, /PaperclipInstrumentationWarning/);
  // The server's alone.
  deepStrictEqual(stderr.match(/Prometheus exporter server started/g)?.length, 1, stderr);
  match(stderr, /attached to @acme\/server 0\.3\.1 \(layout: sources\)/);
  const { node: version, agent, metrics } = JSON.parse(readFileSync(report, 'utf8'));
  ok(version.startsWith(`v${line}.`), version);
  deepStrictEqual(agent, '\n');
  match(
    metrics,
    /^paperclip_environment_operation_duration_count\{error_type="unsupported-driver-operation",.*\} 1$/m,
  );
}

async function commands() {
  const modules = join(await tools(), 'node_modules');
  return { tsx: join(modules, 'tsx/dist/cli.mjs'), pnpm: join(modules, 'pnpm/bin/pnpm.mjs') };
}

function put(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  // Removed, not overwritten: it may be a hard link into pnpm's store.
  rmSync(path, { force: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

/** A port on which nobody listens at the moment. */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
