/** Two servers on one host, each started twice, are two instances in Prometheus, on both lines of OpenTelemetry JS. */
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TIMING } from '../../../observability/src/limits.js';
import { tree } from '../../support/tree.js';
import { type Connected, connect } from './collector-prometheus.js';
import { PROGRAMS, UNLESS_SKIPPED } from './go.js';
import { Servers, until } from './processes.js';

const ROOT = join(import.meta.dirname, '../../..');
const LINE_3 = join(ROOT, 'test/otel3/node_modules');
const PACKAGE = join(LINE_3, 'opentelemetry-instrumentation-paperclip');
const COUNT = 'paperclip_environment_operation_duration_seconds_count';
const PORTS = ['3100', '3200'];

const LINES = [
  { line: '2.x', node: process.execPath, dist: join(ROOT, 'dist'), isThere: true },
  {
    line: '3.x',
    node: join(LINE_3, 'node/bin/node'),
    dist: join(PACKAGE, 'dist'),
    isThere: existsSync(join(LINE_3, '@opentelemetry/sdk-node')),
  },
];

/** Does one operation, and lives until it is told to end. */
const server = (dist: string) => `
  import { PaperclipInstrumentation } from ${JSON.stringify(pathToFileURL(join(dist, 'index.js')).href)};
  const driver = { driver: 'sandbox', execute: async () => ({ exitCode: 0 }) };
  await new PaperclipInstrumentation().instrumentDriver(driver).execute({});
  setInterval(() => {}, 2 ** 30);
`;

describe.each(LINES)('OpenTelemetry JS $line', ({ line, node, dist, isThere }) => {
  const why = isThere ? UNLESS_SKIPPED : ' (skipped: test:otel3 has not installed it)';
  describe.skipIf(!PROGRAMS || !isThere)(`two servers on one host${why}`, () => {
    const servers = new Servers();
    let prometheus: Connected['prometheus'];
    let otlp: string;

    beforeAll(async () => {
      if (!PROGRAMS) return;
      if (line === '3.x') {
        cpSync(join(ROOT, 'dist'), dist, { recursive: true });
        cpSync(join(ROOT, 'package.json'), join(PACKAGE, 'package.json'));
      }
      const connected = await connect(servers, PROGRAMS.collector, 'fleet', TIMING);
      prometheus = connected.prometheus;
      otlp = connected.collector.otlp['http/protobuf'];
    });
    afterAll(() => servers.close());

    const hasArrived = async (life: string) =>
      (await prometheus.query(`target_info{life="${life}"}`)).length > 0;

    /** Starts a server and ends it when its metrics have arrived. */
    async function live(port: string, life: string): Promise<void> {
      const root = tree({ 'package.json': { name: '@paperclipai/server' }, 'index.mjs': server(dist) });
      const args = ['--import', join(dist, 'start.js'), join(root, 'index.mjs')];
      const { child, output } = servers.start(node, args, {
        PORT: port,
        OTEL_RESOURCE_ATTRIBUTES: `life=${life}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        OTEL_METRIC_EXPORT_TIMEOUT: '1000',
        OTEL_TRACES_EXPORTER: 'none',
      });
      const exited = once(child, 'exit');
      await until(() => hasArrived(life), `metrics of the server on port ${port}: ${output()}`);
      child.kill('SIGTERM');
      await exited;
    }

    test('are two instances after a restart of each', async () => {
      for (const [life, port] of [...PORTS, ...PORTS].entries()) await live(port, `life-${life}`);
      const samples = await prometheus.query(`count by (instance) (last_over_time(${COUNT}[1h]))`);
      const instances = samples.map(({ labels }) => labels.instance).sort();
      expect(instances).toEqual(
        PORTS.map((port) => expect.stringMatching(new RegExp(`^${hostname()}:${port}/[0-9a-f]{4}$`))),
      );
    });
  });
});
