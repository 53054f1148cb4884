import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, Server } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/check.js';
import type { Server as Paperclip } from '../../../src/cli/doctor/locate.js';
import { quietEnvironment } from '../../../src/cli/doctor/probe.js';
import { variables } from '../../../src/cli/doctor/variables.js';
import { remedyOf } from '../../../src/cli/otel/complaints.js';
import { manifest, tree } from '../../support/tree.js';
import { COLLECTOR, look, SDK } from './built-checks.js';
import { httpServer, listening } from './collectors.js';
import { type Env, followVariables } from './follow.js';

const { version: VERSION } = JSON.parse(
  readFileSync('node_modules/@opentelemetry/sdk-node/package.json', 'utf8'),
);
const ok = (found: string): Finding => ({ mark: 'ok', found });
const note = (found: string): Finding => ({ mark: 'note', found });
const problem = (found: string, remedy: string): Finding => ({ mark: 'problem', found, remedy });
const STARTS = ok(
  `the preload start starts NodeSDK of @opentelemetry/sdk-node ${VERSION}; service.name is paperclip`,
);
const DEFAULTS = ok('traces, metrics, logs: otlp to http://localhost:4318 (http/protobuf)');
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const YOURS = 'nothing is recorded unless your own code starts an SDK';
const START_ONE = `if your own code starts an SDK, run doctor with its --import in NODE_OPTIONS; else let the preload start do it: node ${resolve('dist/cli/main.js')} run --start -- <command>`;

describe('with the preload start', () => {
  it.each<[string, Env, Finding[]]>([
    ['the defaults', {}, [STARTS, DEFAULTS]],
    [
      'what the variables say',
      {
        OTEL_SERVICE_NAME: 'ours',
        OTEL_TRACES_EXPORTER: 'otlp,console',
        OTEL_METRICS_EXPORTER: 'console',
        OTEL_LOGS_EXPORTER: 'none',
        [ENDPOINT]: 'https://collector.example/otlp',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      },
      [
        ok(`the preload start starts NodeSDK of @opentelemetry/sdk-node ${VERSION}; service.name is ours`),
        ok('traces: otlp to https://collector.example (http/json)'),
        ok('traces, metrics: console'),
        ok('logs are not exported: OTEL_LOGS_EXPORTER=none'),
      ],
    ],
    [
      'a name among the attributes',
      { OTEL_RESOURCE_ATTRIBUTES: 'team=one,service.name=ours' },
      [
        ok(`the preload start starts NodeSDK of @opentelemetry/sdk-node ${VERSION}; service.name is ours`),
        DEFAULTS,
      ],
    ],
    [
      'no metrics',
      { OTEL_METRICS_EXPORTER: 'none' },
      [
        STARTS,
        ok('traces, logs: otlp to http://localhost:4318 (http/protobuf)'),
        note('metrics are not exported: OTEL_METRICS_EXPORTER=none; both rates are metrics'),
      ],
    ],
    // `variables` says it.
    [
      'a variable that is not right',
      { OTEL_TRACES_EXPORTER: 'oltp', OTEL_LOG_LEVEL: 'x', OTEL_PROPAGATORS: 'x' },
      [STARTS, ok('metrics, logs: otlp to http://localhost:4318 (http/protobuf)')],
    ],
    [
      'a path with grpc',
      { [ENDPOINT]: 'http://collector:4317/v1/traces', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      [STARTS, ok('traces, metrics, logs: otlp to http://collector:4317 (grpc)')],
    ],
    [
      'values that the SDK complains about as well',
      {
        OTEL_BSP_SCHEDULE_DELAY: '-1',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpcc',
        [ENDPOINT]: '10.0.0.1:4318',
        OTEL_EXPORTER_OTLP_TIMEOUT: '1s',
        OTEL_TRACES_SAMPLER: 'all',
        OTEL_SDK_DISABLED: '1',
      },
      [STARTS, DEFAULTS],
    ],
  ])('%s', async (_, env, findings) => {
    expect(await look(SDK, env)).toEqual(findings);
  });

  it.each<[Env, string, string]>([
    [
      { OTEL_SDK_DISABLED: 'TRUE' },
      'OTEL_SDK_DISABLED=TRUE switches this package off, and starts no SDK',
      'unset OTEL_SDK_DISABLED',
    ],
    [
      { OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http, pg' },
      'OTEL_NODE_ENABLED_INSTRUMENTATIONS=http,pg switches this package off',
      'set OTEL_NODE_ENABLED_INSTRUMENTATIONS=http,pg,paperclip',
    ],
    [
      { OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'paperclip,fs' },
      'OTEL_NODE_DISABLED_INSTRUMENTATIONS=paperclip,fs switches this package off',
      'set OTEL_NODE_DISABLED_INSTRUMENTATIONS=fs',
    ],
    [
      { OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'paperclip' },
      'OTEL_NODE_DISABLED_INSTRUMENTATIONS=paperclip switches this package off',
      'unset OTEL_NODE_DISABLED_INSTRUMENTATIONS',
    ],
  ])('is switched off: %j', async (env, found, remedy) => {
    expect(await look(SDK, env)).toEqual([problem(found, remedy)]);
    expect(await look(SDK, followVariables(remedy, env))).toEqual([STARTS, DEFAULTS]);
  });

  it('leaves contradicting switches to the check of variables', async () => {
    const env = {
      OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'paperclip',
      OTEL_NODE_DISABLED_INSTRUMENTATIONS: 'paperclip',
    };
    expect(await look(SDK, env)).toEqual([
      { mark: 'skipped', found: 'switched off by variables that contradict each other' },
    ]);
  });

  it('exports nothing of what this package records', async () => {
    const env = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' };
    const remedy = 'unset OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER';
    expect(await look(SDK, env)).toEqual([
      STARTS,
      problem('neither traces nor metrics are exported', remedy),
    ]);
    expect(await look(SDK, followVariables(remedy, env))).toEqual([STARTS, DEFAULTS]);
  });

  it('says what the SDK itself complains about', async () => {
    const found = await look(SDK, {
      OTEL_EXPORTER_OTLP_CERTIFICATE: '/no/such/file',
      OTEL_NODE_RESOURCE_DETECTORS: 'env',
    });
    expect(found).toEqual([
      STARTS,
      DEFAULTS,
      problem(
        'the SDK says: Failed to read root certificate file',
        'set OTEL_EXPORTER_OTLP_CERTIFICATE to a file that can be read: its path is taken from the folder of the server',
      ),
    ]);
  });

  it.each(['OTEL_EXPORTER_OTLP_CERTIFICATE', 'OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE'])(
    'names the variable that is set: %s',
    async (name) => {
      const found = await look(SDK, { [name]: '/no/such/file' });
      expect(found.slice(2)).toEqual([
        problem(
          'the SDK says: Failed to read root certificate file',
          `set ${name} to a file that can be read: its path is taken from the folder of the server`,
        ),
      ]);
    },
  );

  it.each(['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY', 'LOGS_CLIENT_CERTIFICATE'])(
    'leaves a file whose path has white space around it to the check of variables: %s',
    async (setting) => {
      const folder = tree({ 'a.pem': '' });
      const name = `OTEL_EXPORTER_OTLP_${setting}`;
      const env = {
        [name]: ` ${join(folder, 'a.pem')}`,
        [ENDPOINT]: `http://127.0.0.1:${await listening(httpServer())}`,
      };
      const findings = await Promise.all([variables, SDK, COLLECTOR].map((check) => look(check, env)));
      const [only, ...others] = findings.flat().filter(({ mark }) => mark === 'problem');
      expect({ only, others }).toEqual({
        only: problem(
          `${name} has white space around its value, and it is read with it`,
          `set ${name}=${join(folder, 'a.pem')}`,
        ),
        others: [],
      });
    },
  );

  it('leaves the SDK to name what it is about', async () => {
    const found = await look(SDK, {
      OTEL_BLRP_MAX_QUEUE_SIZE: '1',
      OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: '2',
    });
    expect(found.slice(2)).toEqual([
      problem(expect.stringContaining('maxExportBatchSize must be'), 'correct the setting named above'),
    ]);
  });

  it('names the variable that the SDK names', () => {
    expect(remedyOf('Unknown value "x" for OTEL_SOME_THING, using default', {})).toBe(
      'correct OTEL_SOME_THING',
    );
  });

  it('notes what is to be replaced some time', async () => {
    expect(await look(SDK, { OTEL_PROPAGATORS: 'jaeger' })).toEqual([
      STARTS,
      DEFAULTS,
      note(expect.stringContaining('the SDK says: The Jaeger propagator is deprecated')),
    ]);
  });

  it('notices that the port for Prometheus is in use', async () => {
    const port = await listening(createServer());
    const env = {
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    };
    expect(await look(SDK, env)).toEqual([
      STARTS,
      ok('traces, logs: otlp to http://localhost:4318 (http/protobuf)'),
      ok(`metrics: prometheus on port ${port} of 127.0.0.1`),
      note(
        `port ${port} is in use: by the server that runs, or by another program, and then there are no metrics`,
      ),
    ]);
  });
});

describe('Prometheus cannot listen', () => {
  const HOST = 'OTEL_EXPORTER_PROMETHEUS_HOST';

  it.each([
    // An address for documentation, and a domain that never is (RFC 5737, RFC 2606).
    ['203.0.113.1', 'EADDRNOTAVAIL'],
    ['metrics.invalid', '(?:ENOTFOUND|EAI_AGAIN)'],
  ])('on a host that is not this one: %s', async (host, code) => {
    const env = { OTEL_METRICS_EXPORTER: 'prometheus', [HOST]: host };
    const findings = await look(SDK, env);
    expect(findings.filter(({ mark }) => mark === 'problem')).toEqual([
      problem(
        expect.stringMatching(
          `^prometheus cannot listen on ${host}, which is no address of this machine \\(${code}\\), and then there are no metrics$`,
        ),
        `unset ${HOST}`,
      ),
    ]);
    const left = await look(SDK, followVariables(`unset ${HOST}`, env));
    expect(left.filter(({ mark }) => mark === 'problem')).toEqual([]);
  });

  it('on a port that is not for every user', async () => {
    // Not every system has such a port, and root may use them all.
    vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
      this.emit('error', Object.assign(new Error(), { code: 'EACCES' }));
      return this;
    });
    const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: '80' };
    const findings = await look(SDK, env);
    expect(findings.filter(({ mark }) => mark === 'problem')).toEqual([
      problem(
        'prometheus may not listen on port 80 as this user (EACCES), and then there are no metrics',
        'set OTEL_EXPORTER_PROMETHEUS_PORT=9464',
      ),
    ]);
  });

  it('on a host with white space, which the check of variables says', async () => {
    const findings = await look(SDK, { OTEL_METRICS_EXPORTER: 'prometheus', [HOST]: ' 127.0.0.1' });
    expect(findings.filter(({ mark }) => mark === 'problem')).toEqual([]);
  });
});

describe('a process that tries an SDK', () => {
  it.each<[Env, Env]>([
    [{ OTEL_METRICS_EXPORTER: 'prometheus' }, { OTEL_METRICS_EXPORTER: 'none' }],
    [{ OTEL_METRICS_EXPORTER: 'prometheus, console' }, { OTEL_METRICS_EXPORTER: 'console' }],
    [{ OTEL_METRICS_EXPORTER: 'otlp', OTEL_LOG_LEVEL: 'debug' }, { OTEL_METRICS_EXPORTER: 'otlp' }],
    [
      { NODE_OPTIONS: '--import opentelemetry-instrumentation-paperclip/start --use-openssl-ca' },
      { NODE_OPTIONS: '--use-openssl-ca' },
    ],
    [
      {
        NODE_OPTIONS: '--require=./one.cjs -r "./the other.cjs" --import ./otel.mjs --max-http-header-size=9',
      },
      { NODE_OPTIONS: '--max-http-header-size=9' },
    ],
    [{ NODE_OPTIONS: '--import ./otel.mjs' }, { NODE_OPTIONS: '' }],
  ])('opens no port, logs nothing, and is preceded by nothing: %j', (env, quieted) => {
    expect(quietEnvironment(env)).toEqual(quieted);
  });
});

describe('with an SDK of the user, started by NODE_OPTIONS', () => {
  const otel = JSON.stringify(resolve('node_modules/@opentelemetry/sdk-node'));
  const api = JSON.stringify(resolve('node_modules/@opentelemetry/api'));
  const folder = tree({
    'otel.cjs': `new (require(${otel}).NodeSDK)().start();`,
    'otel.mjs': "import './otel.cjs';",
    'traces.cjs': `require(${api}).trace.setGlobalTracerProvider({ getTracer() {} });`,
    'later.mjs': "setTimeout(() => import('./otel.cjs'), 1);",
    'broken.mjs': "throw new Error('not today');",
    'other.mjs': '',
  });
  const FOUND = ok('your own code starts one for traces, metrics and logs, by NODE_OPTIONS');

  it.each([
    '--import ./otel.mjs',
    '--require ./otel.cjs',
    '-r ./otel.cjs --import opentelemetry-instrumentation-paperclip/start',
    '--import=./later.mjs',
  ])('that one is all that is said: %s', async (options) => {
    expect(await look(SDK, { NODE_OPTIONS: options }, { folder })).toEqual([FOUND]);
    expect(await look(COLLECTOR, { NODE_OPTIONS: options }, { folder })).toEqual([
      { mark: 'skipped', found: 'your own SDK exports' },
    ]);
  });

  it('also where it serves metrics to Prometheus only, whose port stays closed', async () => {
    const port = await listening(createServer());
    const env = {
      NODE_OPTIONS: '--import ./otel.mjs',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    };
    expect(await look(SDK, env, { folder })).toEqual([
      ok('your own code starts one for metrics and logs, by NODE_OPTIONS'),
    ]);
  });

  describe('for some of the signals', () => {
    const STARTS_REST = ok(
      `the preload start starts NodeSDK of @opentelemetry/sdk-node ${VERSION} for the other signals; service.name is paperclip`,
    );
    const FOUND_TRACES = ok('your own code starts one for traces, by NODE_OPTIONS');

    it('the preload start starts the others', async () => {
      const env = { NODE_OPTIONS: '--import ./traces.cjs' };
      expect(await look(SDK, env, { folder })).toEqual([
        FOUND_TRACES,
        STARTS_REST,
        ok('metrics, logs: otlp to http://localhost:4318 (http/protobuf)'),
      ]);
    });

    it('the collector is asked about the others', async () => {
      const env = { NODE_OPTIONS: '--import ./traces.cjs', [ENDPOINT]: 'http://localhost:1' };
      const findings = await look(COLLECTOR, env, { folder });
      expect(findings.map(({ found }) => found).join()).toMatch(/^metrics, logs: /);
    });

    it('the preload register starts none, which is a problem', async () => {
      const env = { NODE_OPTIONS: '--import ./traces.cjs' };
      expect(await look(SDK, env, { folder, preload: 'register' })).toEqual([
        FOUND_TRACES,
        problem(
          'no SDK is known to start for metrics: all alerts need metrics',
          'use the preload start (run --start), which starts what is missing; or add metrics to your own SDK; ' +
            'or, if you do not want them, set OTEL_METRICS_EXPORTER=none',
        ),
      ]);
      expect(await look(COLLECTOR, env, { folder, preload: 'register' })).toEqual([
        { mark: 'skipped', found: 'your own SDK exports' },
      ]);
    });

    it('logs are missed where exceptions are logs', async () => {
      const env = {
        NODE_OPTIONS: '--import ./traces.cjs',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN: 'logs',
      };
      const [, missing, metrics] = await look(SDK, env, { folder, preload: 'register' });
      expect(missing?.found).toBe('no SDK is known to start for logs');
      expect(metrics).toEqual(
        note('metrics are not exported: OTEL_METRICS_EXPORTER=none; both rates are metrics'),
      );
    });
  });

  it.each(['--import ./other.mjs', '--import ./broken.mjs'])(
    'what starts none changes nothing: %s',
    async (options) => {
      expect(await look(SDK, { NODE_OPTIONS: options }, { folder })).toEqual([STARTS, DEFAULTS]);
    },
  );

  it("Paperclip's own is not missed", async () => {
    const server = paperclip({ '@opentelemetry/sdk-node': '0.221.0' }, []);
    const env = { NODE_OPTIONS: '--import ./otel.mjs', [ENDPOINT]: 'http://collector:4317' };
    const [found, other] = await look(SDK, env, { folder, preload: 'register', server });
    expect([found, other?.mark]).toEqual([FOUND, 'note']);
    expect(other?.found).toMatch(
      /^Paperclip does not start its own, because it needs @opentelemetry\/sdk-node@0\.221\.0, /,
    );
  });
});

/** A server with Paperclip's own bootstrap, and its optional peers. */
function paperclip(peers: Readonly<Record<string, string>>, packages: readonly string[]): Paperclip {
  const name = '@paperclipai/server';
  const auto = '@opentelemetry/auto-instrumentations-node';
  const root = tree({
    'package.json': {},
    [`node_modules/${name}/package.json`]: { ...manifest(name), peerDependencies: peers },
    [`node_modules/${name}/dist/instrumentation.js`]: '',
    [`node_modules/${auto}/package.json`]: { name: auto, version: '0.79.0', main: 'index.js' },
    [`node_modules/${auto}/index.js`]: '',
  });
  for (const each of packages) {
    const path = join(root, 'node_modules', each);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(resolve('node_modules', each), path);
  }
  const folder = join(root, 'node_modules', name);
  return {
    package: { name, version: '2026.916.1', folder },
    layout: 'npm',
    runtime: undefined,
    foundBy: 'as named',
  };
}

describe('with the preload register', () => {
  const common = ['sdk-node', 'resources', 'semantic-conventions'].map((name) => `@opentelemetry/${name}`);
  const grpc = '@opentelemetry/exporter-trace-otlp-grpc';
  const http = '@opentelemetry/exporter-trace-otlp-http';
  const own = (env: Env, server: Paperclip | undefined) => look(SDK, env, { preload: 'register', server });
  const OWN = ok(`Paperclip starts NodeSDK of @opentelemetry/sdk-node ${VERSION}; service.name is paperclip`);

  it("Paperclip's own speaks grpc for traces, and the SDK's default for metrics and logs", async () => {
    expect(await own({ [ENDPOINT]: 'http://collector:4317' }, paperclip({}, [...common, grpc]))).toEqual([
      OWN,
      ok('traces: otlp to http://collector:4317 (grpc)'),
      ok('metrics, logs: otlp to http://collector:4317 (http/protobuf)'),
    ]);
  });

  it('exports traces also where OTEL_TRACES_EXPORTER says otherwise', async () => {
    const env = {
      [ENDPOINT]: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'console',
      OTEL_LOGS_EXPORTER: 'none',
    };
    expect(await own(env, paperclip({}, [...common, http]))).toEqual([
      OWN,
      ok('traces: otlp to http://collector:4318 (http/json)'),
      ok('metrics: console'),
      ok('logs are not exported: OTEL_LOGS_EXPORTER=none'),
    ]);
  });

  it('is started with an endpoint only', async () => {
    expect(await own({}, paperclip({}, [...common, grpc]))).toEqual([
      problem(
        `the preload register starts none, and Paperclip only where ${ENDPOINT} is set: ${YOURS}`,
        START_ONE,
      ),
    ]);
  });

  it('is not there in old versions', async () => {
    const server = paperclip({}, []);
    const old = { ...server, package: { ...server.package, folder: tree({ 'package.json': {} }) } };
    expect(await own({ [ENDPOINT]: 'http://collector:4317' }, old)).toEqual([
      problem(`this Paperclip starts none, and neither does the preload register: ${YOURS}`, START_ONE),
    ]);
    expect(await own({}, undefined)).toEqual([
      { mark: 'skipped', found: 'no Paperclip found that could start one' },
    ]);
  });

  it('needs its packages, each in the very version that it names', async () => {
    const server = paperclip({ '@opentelemetry/sdk-node': '0.221.0', [grpc]: '0.221.0' }, common);
    const project = server.package.folder.replace(/\/node_modules\/.*/, '');
    expect(await own({ [ENDPOINT]: 'http://collector:4317' }, server)).toEqual([
      problem(
        `Paperclip does not start its own, because it needs @opentelemetry/sdk-node@0.221.0, ${grpc}@0.221.0: ${YOURS}`,
        `npm install --prefix ${project} @opentelemetry/sdk-node@0.221.0 ${grpc}@0.221.0`,
      ),
    ]);
  });

  it('comes second, and empty, behind the preload start', async () => {
    const env = { [ENDPOINT]: 'http://collector:4317' };
    const findings = await look(SDK, env, { server: paperclip({}, [...common, grpc]) });
    expect(findings.at(-1)).toEqual(
      note(
        "Paperclip starts its own as well, later: what it registers is refused, its spans go where the preload's go, and its metrics and logs stay empty",
      ),
    );
  });
});
