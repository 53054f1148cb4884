import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, test } from 'vitest';
import { type Collector, openCollector } from '../support/collector.js';
import { RUNTIME_SOURCE } from '../support/runtime.js';
import { type Ended, manifest, REGISTER, type RunOptions, runNode, START, tree } from '../support/tree.js';

const INSTANCE = `${hostname()}:3100/[0-9a-f]{4}`;

const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));
const SERVER = 'node_modules/@paperclipai/server';

/** A server that does what the host does. */
function serverWith(version?: string): string {
  const index = `${SERVER}/dist/index.js`;
  const root = tree({
    [`${SERVER}/package.json`]: { name: '@paperclipai/server', version, type: 'module' },
    [index]: `import ${JSON.stringify(pathToFileURL(HOST).href)};`,
  });
  return join(root, index);
}
const UNVERSIONED = serverWith();

const it = test.extend<{ collector: Collector; silentCollector: Collector }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest wants a pattern, to see which fixtures are used
  collector: async ({}, use) => {
    const collector = await openCollector();
    await use(collector);
    collector.close();
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  silentCollector: async ({}, use) => {
    const collector = await openCollector({ answers: false });
    await use(collector);
    collector.close();
  },
});

interface StartOptions extends Pick<RunOptions, 'env' | 'onOutput' | 'through'> {
  preloads?: readonly string[];
  host?: string;
}

/** Runs the host, whose SDK, if one is started, exports to the collector. */
function start(
  { url }: Pick<Collector, 'url'>,
  end: string,
  { preloads = [START], env = {}, host = UNVERSIONED, ...options }: StartOptions = {},
) {
  const imports = preloads.flatMap((preload) => ['--import', preload]);
  return runNode([...imports, host, end], {
    ...options,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...env },
  });
}

/** How a process ends, and the error that Node.js reports. */
const ENDS = {
  'nothing left to do': { code: 0, signal: null, stdout: 'exit 0\n' },
  'an exit code': { code: 4, signal: null, stdout: 'exit 4\n' },
  SIGTERM: { code: null, signal: 'SIGTERM', stdout: '' },
  SIGINT: { code: null, signal: 'SIGINT', stdout: '' },
  'SIGTERM with a listener': { code: 3, signal: null, stdout: 'exit 3\n' },
  'SIGTERM with a listener that passes it on': { code: null, signal: 'SIGTERM', stdout: '' },
  'SIGTERM with a listener that comes first': { code: 3, signal: null, stdout: 'exit 3\n' },
  'SIGTERM with a listener that imported its exit': { code: 3, signal: null, stdout: 'exit 3\n' },
  'SIGTERM with a listener that sends it again by number': { code: null, signal: 'SIGTERM', stdout: '' },
  'SIGTERM with a listener that is hidden': { code: 143, signal: null, stdout: 'exit 143\n' },
  'SIGTERM, and an exit soon after': { code: null, signal: 'SIGTERM', stdout: '' },
  'SIGTERM with a listener, and an exception that the host handles meanwhile': {
    code: 3,
    signal: null,
    stdout: 'handled thrown\nexit 3\n',
  },
  'SIGTERM with a listener that lets go of everything': { code: 0, signal: null, stdout: 'exit 0\n' },
  'work that begins when nothing is left to do': { code: 0, signal: null, stdout: 'worked\nexit 0\n' },
  'SIGTERM with a listener that exits twice': { code: 3, signal: null, stdout: 'exit 3\n' },
  'an uncaught exception, and an exit soon after': {
    code: 1,
    signal: null,
    stdout: 'exit 1\n',
    error: 'TypeError: thrown',
  },
  'exceptions that go on': { code: 1, signal: null, stdout: 'exit 1\n', error: 'TypeError: thrown 1' },
  'an exception that a callback captures': { code: 0, signal: null, stdout: 'captured thrown\nexit 0\n' },
  'an exception at the exit': { code: 1, signal: null, stdout: 'exit 0\n', error: 'TypeError: thrown' },
  'an uncaught exception': {
    code: 1,
    signal: null,
    stdout: 'monitor thrown\nexit 1\n',
    error: 'TypeError: thrown',
  },
  'an unhandled rejection': { code: 1, signal: null, stdout: 'exit 1\n', error: 'TypeError: rejected' },
  'an exception that the host handles': { code: 9, signal: null, stdout: 'handled thrown\nexit 9\n' },
};

/** What is recorded after the end began. */
const LATE: Record<string, string[]> = {
  'SIGTERM with a listener': ['while shutting down'],
  'SIGTERM with a listener, and an exception that the host handles meanwhile': ['while shutting down'],
  'work that begins when nothing is left to do': ['late work'],
};

/** The first process of a container, where the system lets this one make such a thing. */
const AS_PROCESS_1 = ['unshare', '--pid', '--fork', '--kill-child'];
const HAS_CONTAINERS = spawnSync('unshare', [...AS_PROCESS_1.slice(1), 'true']).status === 0;
// Vitest tells the reason of a skipped test to its verbose reporter only.
if (!HAS_CONTAINERS) console.warn('Skipped: ends of process 1, because no PID namespace can be made here');

function endOf({ code, signal, stdout, stderr }: Ended) {
  const [error, ...others] = stderr.match(/^TypeError: .*$/gm) ?? [];
  return { code, signal, stdout, ...(error && { error }), ...(others.length > 0 && { others }) };
}

describe.concurrent('a process ends as it would without us, and nothing that was recorded is lost', () => {
  it.for(Object.entries(ENDS))('%s', async ([end, expected], { collector, expect }) => {
    expect(endOf(await start(collector, end, { preloads: [] }))).toEqual(expected);
    expect(endOf(await start(collector, end))).toEqual(expected);
    // Two flushes may arrive in any order.
    expect(collector.spans.sort()).toEqual(['before the end', ...(LATE[end] ?? [])]);
    expect(new Set(collector.metrics)).toEqual(new Set(['hosted']));
    expect(collector.logs).toEqual(['said']);
  });

  it('with an SDK of each of two copies of this package', async ({ collector, expect }) => {
    const root = tree({});
    cpSync(dirname(START), join(root, 'dist'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    const end = 'SIGTERM with a listener';
    // The first SDK serves no metrics, so the second is started beside it.
    const env = { OTEL_METRICS_EXPORTER: 'misspelt' };
    const ended = await start(collector, end, { preloads: [join(root, 'dist/start.js'), START], env });
    expect(endOf(ended)).toEqual(ENDS[end]);
    expect(collector.spans.sort()).toEqual(['before the end', ...(LATE[end] ?? [])]);
  });

  it('leaves a process alone whose exit cannot be held up', async ({ collector, expect }) => {
    const { code, signal, stderr } = await start(collector, 'SIGTERM where exit cannot be replaced');
    expect({ code, signal, stderr }).toEqual({ code: 3, signal: null, stderr: '' });
  });

  it.for([
    'nothing left to do',
    'SIGTERM',
    'SIGTERM, and an exit soon after',
    'SIGTERM with a listener',
    'an uncaught exception',
  ] as const)(
    'a collector that never answers does not keep it: %s',
    async (end, { silentCollector, expect }) => {
      expect(endOf(await start(silentCollector, end))).toEqual(ENDS[end]);
    },
  );

  // Docker kills a container ten seconds after the signal.
  it.for([
    ['SIGTERM with a listener that takes seven seconds', { code: 3, signal: null }],
    [
      'SIGTERM with a listener, and a SIGINT without one five seconds later',
      { code: null, signal: 'SIGINT' },
    ],
    ['nothing left to do, with a listener', { code: 0, signal: null }],
  ] as const)(
    'a collector that never answers does not keep it for ten seconds: %s',
    async ([end, expected], { silentCollector, expect }) => {
      let began: number | undefined;
      const onOutput = () => {
        began ??= performance.now();
      };
      const { code, signal } = await start(silentCollector, end, { onOutput });
      expect(performance.now() - (began ?? 0)).toBeLessThan(10_000);
      expect({ code, signal }).toEqual(expected);
    },
  );

  it('a collector that is not there does not keep it', async ({ expect }) => {
    expect((await start({ url: 'http://127.0.0.1:1' }, 'SIGTERM')).signal).toBe('SIGTERM');
  });
});

describe
  .skipIf(!HAS_CONTAINERS)
  .concurrent('process 1, to which a signal without a listener does nothing', () => {
    it.for([
      ['SIGTERM that does nothing', 0, ['before the end', 'after it']],
      [
        'SIGTERM that does nothing, and later one with a listener',
        3,
        ['before the end', 'while shutting down'],
      ],
      ['SIGTERM with a listener that passes it on to nobody', 0, ['before the end', 'after it']],
    ] as const)(
      'runs on with its SDK, and nothing that was recorded is lost: %s',
      async ([end, code, spans], { collector, expect }) => {
        const expected = { code, signal: null, stdout: `exit ${code}\n` };
        const through = AS_PROCESS_1;
        expect(endOf(await start(collector, end, { through, preloads: [] }))).toEqual(expected);
        expect(endOf(await start(collector, end, { through }))).toEqual(expected);
        expect(collector.spans.sort()).toEqual([...spans].sort());
      },
    );
  });

describe.concurrent('the SDK is what the standard variables describe', () => {
  it('exports traces, metrics and logs over OTLP where nothing else is said', async ({
    collector,
    expect,
  }) => {
    await start(collector, 'nothing left to do', { env: { OTEL_EXPORTER_OTLP_PROTOCOL: '' } });
    expect([...collector.requests].sort()).toEqual([
      'application/x-protobuf /v1/logs',
      'application/x-protobuf /v1/metrics',
      'application/x-protobuf /v1/traces',
    ]);
  });

  it('exports nothing with `none`', async ({ collector, expect }) => {
    const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
    await start(collector, 'nothing left to do', { env: none });
    expect([...collector.requests]).toEqual([]);
  });

  it('prints with `console`', async ({ collector, expect }) => {
    const env = {
      OTEL_TRACES_EXPORTER: 'console',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
    expect((await start(collector, 'nothing left to do', { env })).stdout).toContain(
      "name: 'before the end'",
    );
  });

  it('starts nothing with OTEL_SDK_DISABLED', async ({ collector, expect }) => {
    await start(collector, 'nothing left to do', { env: { OTEL_SDK_DISABLED: 'true' } });
    expect([...collector.requests]).toEqual([]);
  });

  it('names the service after Paperclip, with the version of the server that is started, on this host', async ({
    collector,
    expect,
  }) => {
    await start(collector, 'nothing left to do', { host: serverWith('2026.916.1') });
    expect([...collector.services]).toEqual([expect.stringMatching(`^paperclip 2026.916.1 ${INSTANCE}$`)]);
  });

  it.for([
    [{ OTEL_SERVICE_NAME: 'agents' }, `agents  ${INSTANCE}`],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=mine,service.version=7,service.instance.id=one' },
      'mine 7 one',
    ],
    [{}, `paperclip  ${INSTANCE}`],
  ] as [Record<string, string>, string][])(
    'the names given by %j win',
    async ([env, expected], { collector, expect }) => {
      await start(collector, 'nothing left to do', { env });
      expect([...collector.services]).toEqual([expect.stringMatching(`^${expected}$`)]);
    },
  );
});

/** A preload that registers an SDK for these signals. As Sentry's does, that for traces brings context and propagation. */
function others(...signals: readonly ('traces' | 'metrics' | 'logs')[]): string {
  const register = {
    traces: `
      const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
      const { TracerProvider } = require('@opentelemetry/sdk-trace');
      const done = async () => {};
      const onEnd = ({ name }) => console.log('mine', name);
      const spanProcessors = [{ onStart() {}, onEnd, forceFlush: done, shutdown: done }];
      api.trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
      api.propagation.setGlobalPropagator({ inject() {}, extract: (context) => context, fields: () => [] });
      api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());`,
    metrics: `
      const createCounter = (name) => ({ add: () => console.log('mine', name) });
      api.metrics.setGlobalMeterProvider({ getMeter: () => ({ createCounter }) });`,
    logs: `
      const logs = api.logs ?? require('@opentelemetry/api-logs').logs;
      const emit = ({ body }) => console.log('mine', body);
      logs.setGlobalLoggerProvider({ getLogger: () => ({ emit }) });`,
  };
  const code = `
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(import.meta.url)});
    const api = require('@opentelemetry/api');
    ${signals.map((signal) => register[signal]).join('')}`;
  return join(tree({ 'sdk.mjs': code }), 'sdk.mjs');
}

const said = (stderr: string) => stderr.match(/an OpenTelemetry SDK .*/g);

describe.concurrent('beside an SDK for some of the signals', () => {
  /** What the other SDK prints, and what the collector gets: spans, metrics and log records. */
  it.for([
    [['traces'], 'mine before the end\n', [], ['hosted'], ['said']],
    [['metrics'], 'mine hosted\n', ['before the end'], [], ['said']],
    [['logs'], 'mine said\n', ['before the end'], ['hosted'], []],
    [['traces', 'logs'], 'mine before the end\nmine said\n', [], ['hosted'], []],
  ] as const)(
    'starts one for the others: %j',
    async ([signals, stdout, ...arrived], { collector, expect }) => {
      const preloads = [others(...signals), START];
      const ended = await start(collector, 'nothing left to do', { preloads });
      expect(ended.stdout).toBe(`${stdout}exit 0\n`);
      expect(said(ended.stderr)).toEqual([
        `an OpenTelemetry SDK for ${signals.join(' and ')} is registered already: it is used, and one for the other signals is started beside it`,
      ]);
      const { spans, metrics, logs } = collector;
      expect([spans, [...new Set(metrics)], logs]).toEqual(arrived);
    },
  );

  it('starts none where the others are switched off', async ({ collector, expect }) => {
    const env = { OTEL_METRICS_EXPORTER: 'none' };
    await start(collector, 'nothing left to do', { preloads: [others('traces'), START], env });
    expect([...collector.requests]).toEqual([]);
  });

  it('registers no context and no propagation beside its traces', async ({ collector, expect }) => {
    const env = { OTEL_LOG_LEVEL: 'error' };
    const { stderr } = await start(collector, 'nothing left to do', {
      preloads: [others('traces'), START],
      env,
    });
    expect(stderr).not.toContain('duplicate registration');
  });
});

describe.concurrent('the id of the instance', () => {
  it('is the same after a restart, and another one for another server of the host', async ({
    collector,
    expect,
  }) => {
    const ids: string[] = [];
    for (const PORT of ['3100', '3200', '3100', '3200']) {
      await start(collector, 'nothing left to do', { env: { PORT, OTEL_SERVICE_NAME: PORT } });
      ids.push([...collector.services].join());
      collector.services.clear();
    }
    const [first, second, ...again] = ids;
    expect(again).toEqual([first, second]);
    expect(second).not.toBe(first);
  });

  it('is that of the detectors that the operator chose', async ({ collector, expect }) => {
    const env = { OTEL_NODE_RESOURCE_DETECTORS: 'serviceinstance' };
    await start(collector, 'nothing left to do', { env });
    expect([...collector.services]).toEqual([
      expect.stringMatching(/^paperclip {2}[0-9a-f]{8}-[0-9a-f-]{27}$/),
    ]);
  });
});

describe.concurrent('where it can start no SDK', () => {
  it('says that there is one already, and leaves it in place', async ({ collector, expect }) => {
    const { stdout, stderr } = await start(collector, 'nothing left to do', {
      preloads: [others('traces', 'metrics'), START],
    });
    expect(stdout).toBe('mine before the end\nmine hosted\nexit 0\n');
    expect(said(stderr)).toEqual([
      'an OpenTelemetry SDK for traces and metrics is registered already: it is used, and no other is started',
    ]);
    expect([...collector.requests]).toEqual([]);
  });

  it('starts one where ./register is preloaded as well', async ({ collector, expect }) => {
    await start(collector, 'nothing left to do', { preloads: [REGISTER, START] });
    expect(collector.spans).toEqual(['before the end']);
  });

  it('names the package that is missing, and the server runs', async ({ collector, expect }) => {
    const hide = `import Module from 'node:module'; const resolve = Module._resolveFilename;
      Module._resolveFilename = (name, ...others) =>
        resolve.call(Module, name === '@opentelemetry/sdk-node' ? '@opentelemetry/sdk-nobody' : name, ...others);`;
    const preloads = [`data:text/javascript,${encodeURIComponent(hide)}`, START];
    const { code, stdout, stderr } = await start(collector, 'an exit code', { preloads });
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'exit 4\n' });
    expect(stderr).toMatch(
      /attached, but the SDK is not started, or not all of it: Cannot find module .*\. Install @opentelemetry\/sdk-node/,
    );
  });
});

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

describe.concurrent('diagnostics of the SDK', () => {
  const env = { OTEL_LOG_LEVEL: 'debug' };

  it('go to the standard error, and child processes keep the variable', async ({ collector, expect }) => {
    const after = dataUrl('console.log(process.env.OTEL_LOG_LEVEL);');
    const { stdout, stderr } = await start(collector, 'nothing left to do', {
      preloads: [START, after],
      env,
    });
    expect(stdout).toBe('debug\nexit 0\n');
    expect(stderr).toMatch(/Registered a global for trace/);
  });

  it('go to the logger that the host has set', async ({ collector, expect }) => {
    const { href } = pathToFileURL(createRequire(import.meta.url).resolve('@opentelemetry/api'));
    const logger = dataUrl(`
      import api from ${JSON.stringify(href)};
      let lines = 0;
      const log = () => lines++;
      api.diag.setLogger({ error: log, warn: log, info: log, debug: log, verbose: log }, api.DiagLogLevel.ALL);
      process.on('exit', () => console.log('mine', lines > 5));`);
    const ended = await start(collector, 'nothing left to do', { preloads: [logger, START], env });
    expect({ stdout: ended.stdout, stderr: ended.stderr }).toEqual({
      stdout: 'mine true\nexit 0\n',
      stderr: '',
    });
  });
});

it('warns of a port that the exporter for Prometheus cannot have, and the server runs', async ({
  collector,
  expect,
}) => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const env = { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: `${port}` };
  const { code, stdout, stderr } = await start(collector, 'an exit code', { env });
  other.close();
  expect({ code, stdout }).toEqual({ code: 4, stdout: 'exit 4\n' });
  expect(stderr.match(/Prometheus can .*/g)).toEqual([
    expect.stringMatching(
      `^Prometheus can scrape no metrics: listen EADDRINUSE: address already in use \\S*:${port}. ` +
        'Set OTEL_EXPORTER_PROMETHEUS_PORT to a free port, ' +
        'and OTEL_EXPORTER_PROMETHEUS_HOST to an address of this machine, or unset it$',
    ),
  ]);
});

describe.concurrent('in a process that starts another program', () => {
  const IS_STARTED =
    "const isStarted = () => globalThis[Symbol.for('opentelemetry.js.api.1')]?.metrics !== undefined;";
  /** A dev runner in the package of the server itself. */
  const RUNNER = `${SERVER}/scripts/dev-watch.js`;
  /** Nothing is exported. */
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(START).href}`,
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'console',
    OTEL_LOGS_EXPORTER: 'none',
  };

  it('starts none, which would take the port of the Prometheus exporter from the server', async ({
    expect,
  }) => {
    const root = tree({
      [RUNNER]: `import { execFileSync } from 'node:child_process';
        ${IS_STARTED}
        process.stdout.write(execFileSync(process.execPath, [process.argv[2]]));
        console.log('runner', isStarted());`,
      [`${SERVER}/package.json`]: manifest('@paperclipai/server'),
      [`${SERVER}/dist/index.js`]: `${IS_STARTED} console.log('server', isStarted());`,
    });
    const args = [RUNNER, join(root, SERVER, 'dist/index.js')];
    const { stdout, stderr } = await runNode(args, { cwd: root, env });
    expect({ stdout, stderr }).toEqual({ stdout: 'server true\nrunner false\n', stderr: '' });
  });

  it('starts one where that runs the server itself', async ({ expect }) => {
    const root = tree({
      'node_modules/pm2/package.json': manifest('pm2', '6.0.0'),
      'node_modules/pm2/lib/container.js': `import { setTimeout as sleep } from 'node:timers/promises';
        ${IS_STARTED}
        console.log(isStarted());
        await import('../../../${SERVER}/dist/services/environment-runtime.js');
        while (!isStarted()) await sleep(10);
        console.log(isStarted());
        process.exit();`,
      [`${SERVER}/package.json`]: manifest('@paperclipai/server'),
      [`${SERVER}/dist/services/environment-runtime.js`]: RUNTIME_SOURCE,
    });
    const { stdout, stderr } = await runNode(['node_modules/pm2/lib/container.js'], { cwd: root, env });
    expect({ stdout, stderr }).toEqual({ stdout: 'false\ntrue\n', stderr: '' });
  });

  it('prints nothing, although the SDK of a server would', async ({ expect }) => {
    const main = join(tree({ 'status.mjs': 'console.log(JSON.stringify({ ready: true }));' }), 'status.mjs');
    const all = { OTEL_LOG_LEVEL: 'all', OTEL_TRACES_EXPORTER: 'console', OTEL_LOGS_EXPORTER: 'console' };
    const { stdout, stderr } = await runNode([main], { env: { ...env, ...all } });
    expect({ stdout, stderr }).toEqual({ stdout: '{"ready":true}\n', stderr: '' });
  });

  it('starts one where a driver is instrumented by another copy of this package, as in a bundle', async ({
    expect,
  }) => {
    const root = tree({
      'main.mjs': `import { PaperclipInstrumentation } from './dist/index.js';
        import { setTimeout as sleep } from 'node:timers/promises';
        ${IS_STARTED}
        new PaperclipInstrumentation().instrumentDriver({});
        while (!isStarted()) await sleep(10);
        console.log(isStarted(), process.env.NODE_OPTIONS);`,
    });
    cpSync(dirname(START), join(root, 'dist'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    const { stdout, stderr } = await runNode([join(root, 'main.mjs')], { env });
    expect({ stdout, stderr }).toEqual({ stdout: 'true \n', stderr: '' });
  });

  it('starts none beside one that Paperclip starts while it is loaded', async ({ expect }) => {
    const api = pathToFileURL(createRequire(import.meta.url).resolve('@opentelemetry/api')).href;
    const root = tree({
      'main.mjs': `import { setTimeout as sleep } from 'node:timers/promises';
        import api from ${JSON.stringify(api)};
        await import('./${SERVER}/dist/services/environment-runtime.js');
        const isFirst = api.trace.setGlobalTracerProvider({ getTracer() {} });
        const isOnly = api.metrics.setGlobalMeterProvider({ getMeter() {} });
        await sleep(3000);
        console.log(isFirst, isOnly);
        process.exit();`,
      [`${SERVER}/package.json`]: manifest('@paperclipai/server'),
      [`${SERVER}/dist/services/environment-runtime.js`]: RUNTIME_SOURCE,
    });
    const { stdout, stderr } = await runNode([join(root, 'main.mjs')], {
      env: { ...env, OTEL_TRACES_EXPORTER: 'otlp' },
    });
    // 2.x is loaded at once, and comes first. 3.x is imported.
    if (stdout === 'false false\n') expect(stderr).toBe('');
    else
      expect({ stdout, said: said(stderr) }).toEqual({
        stdout: 'true true\n',
        said: [
          'an OpenTelemetry SDK for traces and metrics is registered already: it is used, and no other is started',
        ],
      });
  });
});
