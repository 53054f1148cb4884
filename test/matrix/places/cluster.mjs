/** A cluster of two workers that load the runtime, and a primary that does not. */
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startOf } from '../cells.mjs';
import { pnpmProject } from '../installs.mjs';
import { run } from '../process.mjs';

/** Longer than the preload waits before it warns, in milliseconds. */
const LIFE = 70_000;

const PRIMARY = `
  import cluster from 'node:cluster';
  import { describe } from './describe.mjs';
  cluster.setupPrimary({ exec: new URL('worker.mjs', import.meta.url).pathname });
  const reports = [cluster.fork(), cluster.fork()].map(
    (worker) => new Promise((resolve) => worker.on('message', resolve)),
  );
  const workers = await Promise.all(reports);
  setTimeout(() => {
    console.log(JSON.stringify({ primary: describe(), workers }));
    for (const worker of Object.values(cluster.workers)) worker.process.kill();
  }, ${LIFE});`;

const DESCRIBE = `
  export const describe = () => ({
    hasSdk: globalThis[Symbol.for('opentelemetry.js.api.1')]?.metrics !== undefined,
    handsDown: \`\${process.env.NODE_OPTIONS ?? ''} \${process.execArgv.join(' ')}\`.trim(),
  });`;

const WORKER = `
  import { createServer } from 'node:http';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { describe } from './describe.mjs';
  const { environmentRuntimeService } = await import(process.env.RUNTIME);
  while (!describe().hasSdk) await sleep(10);
  const service = environmentRuntimeService({}, { pluginWorkerManager: { getWorker: () => null } });
  await service
    .getDriver('sandbox')
    .openDuplexChannel({
      environment: { id: 'environment-1', driver: 'sandbox' },
      lease: { id: 'lease-1', companyId: 'company-1', metadata: {} },
      command: ['true'],
    })
    .catch(() => {});
  createServer().listen(0, () => process.send(describe()));`;

export default {
  name: 'a cluster of two, on Node.js 20 and 24',
  promise:
    'each worker is attached, with an SDK and a name of its own, and gives its children no preload; ' +
    'the primary hands the preload on, has no SDK, and is silent',
  async check(context) {
    const project = await pnpmProject('2026.916.1', context.tarball);
    await Promise.all(['20', '24'].map((line) => check(context, project, line)));
  },
};

async function check({ scratch: parent, node }, project, line) {
  const scratch = join(parent, line);
  mkdirSync(scratch);
  const server = realpathSync(join(project, 'node_modules/@paperclipai/server'));
  const files = { 'primary.mjs': PRIMARY, 'worker.mjs': WORKER, 'describe.mjs': DESCRIBE };
  for (const [file, code] of Object.entries(files)) writeFileSync(join(scratch, file), code);
  const collector = await openCollector();
  const preload = `--import=${startOf(project)}`;
  // By the variable, or by the command line, which a cluster hands down too.
  const [options, variable] = line === '20' ? [[], { NODE_OPTIONS: preload }] : [[preload], {}];
  const { code, stdout, stderr } = await run(await node(line), [...options, join(scratch, 'primary.mjs')], {
    cwd: scratch,
    limit: 180,
    env: {
      PATH: process.env.PATH,
      HOME: scratch,
      PAPERCLIP_HOME: scratch,
      PAPERCLIP_LOG_LEVEL: 'silent',
      RUNTIME: pathToFileURL(join(server, 'dist/services/environment-runtime.js')).href,
      ...variable,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_LOGS_EXPORTER: 'none',
    },
  });
  collector.close();
  ok(code === 0, `ended with ${code}:\n${stdout}${stderr}`);
  const worker = { hasSdk: true, handsDown: '' };
  deepStrictEqual(
    { ...JSON.parse(stdout), stderr },
    { primary: { hasSdk: false, handsDown: preload }, workers: [worker, worker], stderr: '' },
  );
  const spans = collector.spans.toSorted((one, other) => one.instance.localeCompare(other.instance));
  deepStrictEqual(
    spans.map(({ name }) => name),
    ['open_duplex_channel sandbox', 'open_duplex_channel sandbox'],
  );
  for (const [index, { instance }] of spans.entries())
    match(instance, new RegExp(`:3100/[0-9a-f]{4}/${index + 1}$`));
}

/** Takes OTLP as JSON, and keeps the names of spans with the name of the server that sent them. */
async function openCollector() {
  const spans = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans ?? []) {
      const instance = resource.attributes.find(({ key }) => key === 'service.instance.id').value.stringValue;
      spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => ({ instance, name }))));
    }
    response.end('{}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { spans, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
