import cluster from 'node:cluster';
import { join } from 'node:path';
import { DiagLogLevel, diag, metrics, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PackageFile } from '../../src/attach/identity.js';
import { Watch } from '../../src/attach/watch.js';
import { shared } from '../../src/shared.js';
import { manifest, tree } from '../support/tree.js';

const SERVER = '@paperclipai/server';
const API = Symbol.for('opentelemetry.js.api.1');
const host = globalThis as { [API]?: unknown };

const installed = tree({
  'node_modules/@paperclipai/server/package.json': manifest(SERVER),
  'node_modules/@paperclipai/server/dist/index.js': '',
  'old/node_modules/@paperclipai/server/package.json': manifest(SERVER, '2026.416.0'),
  'old/node_modules/@paperclipai/server/dist/index.js': '',
  'elsewhere/main.js': '',
});
const MAIN = join(installed, 'node_modules/@paperclipai/server/dist/index.js');
const OLD_MAIN = join(installed, 'old/node_modules/@paperclipai/server/dist/index.js');

function runtimeOf(name = SERVER, version: string | undefined = '2026.916.1'): PackageFile {
  return { package: { name, version, folder: '/x' }, place: 'services/environment-runtime', layout: 'pnpm' };
}

let watch: Watch;
let warnings: string[];
let isListening: boolean;
const argv1 = process.argv[1] as string;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(shared.attachment, { isPreloaded: true, isAttached: false });
  shared.attachment.told.clear();
  shared.attachment.strangers.clear();
  warnings = [];
  isListening = true;
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)));
  vi.spyOn(process, 'getActiveResourcesInfo').mockImplementation(() =>
    isListening ? ['TCPServerWrap'] : ['Timeout'],
  );
  process.argv[1] = MAIN;
  watch = new Watch(() => [SERVER]);
  watch.start();
});

afterEach(() => {
  watch.stop();
  process.argv[1] = argv1;
  vi.restoreAllMocks();
  vi.useRealTimers();
  diag.disable();
});

const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000);

describe('one warning where a server is attached to, and there is no SDK', () => {
  beforeEach(() => watch.onPatched(runtimeOf()));
  afterEach(() => delete host[API]);

  it('comes within a minute, and only once', () => {
    vi.advanceTimersByTime(59_000);
    expect(warnings).toEqual([]);
    minutes(5);
    expect(warnings).toEqual([
      'nothing is recorded: no OpenTelemetry SDK for traces or metrics is registered in this process. ' +
        'Use the preload opentelemetry-instrumentation-paperclip/start (run --start), which starts one, or start one in your own code',
    ]);
  });

  it('does not come where nobody listens', () => {
    isListening = false;
    minutes(5);
    expect(warnings).toEqual([]);
  });

  it('does not come where one was started, however late', () => {
    vi.advanceTimersByTime(50_000);
    trace.setGlobalTracerProvider({ getTracer: () => trace.getTracer('none') });
    metrics.setGlobalMeterProvider({ getMeter: () => metrics.getMeter('none') });
    minutes(5);
    trace.disable();
    metrics.disable();
    expect(warnings).toEqual([]);
  });

  describe('for all signals', () => {
    const traces = () => trace.setGlobalTracerProvider({ getTracer: () => trace.getTracer('none') });
    const separateLogs = Symbol.for('io.opentelemetry.js.api.logs');
    const separate = globalThis as { [separateLogs]?: unknown };
    afterEach(() => {
      delete separate[separateLogs];
      vi.unstubAllEnvs();
    });

    it('names those that nobody serves', () => {
      traces();
      minutes(5);
      expect(warnings).toEqual([
        'metrics are not recorded: no OpenTelemetry SDK for them is registered in this process. ' +
          'Use the preload opentelemetry-instrumentation-paperclip/start (run --start), which starts what is missing, ' +
          'or add them to the SDK in your own code. If you do not want them, set OTEL_METRICS_EXPORTER=none',
      ]);
    });

    it('names logs only where exceptions are logs', () => {
      vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs/dup');
      traces();
      minutes(5);
      expect(warnings).toEqual([expect.stringMatching(/^metrics and logs are not recorded: /)]);
    });

    it('takes logs of either API for served', () => {
      vi.stubEnv('OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN', 'logs');
      traces();
      separate[separateLogs] = () => {};
      minutes(5);
      expect(warnings).toEqual([expect.stringMatching(/^metrics are not recorded: /)]);
    });

    it('does not name those that are switched off', () => {
      vi.stubEnv('OTEL_METRICS_EXPORTER', 'none');
      traces();
      minutes(5);
      expect(warnings).toEqual([]);
    });
  });
});

describe('one warning where a server runs and nothing was intercepted', () => {
  it('comes within a minute of the preload, and only once', () => {
    vi.advanceTimersByTime(59_000);
    expect(warnings).toEqual([]);
    vi.advanceTimersByTime(1_000);
    minutes(10);
    expect(warnings).toEqual([
      'not attached: @paperclipai/server 2026.916.1 has loaded its runtime past the loader hook. ' +
        'Put this preload before others on the command line, and start the server unbundled, by import and not by require',
    ]);
  });

  it('waits for a server that listens late', () => {
    isListening = false;
    minutes(7);
    expect(warnings).toEqual([]);
    isListening = true;
    minutes(1);
    expect(warnings).toHaveLength(1);
  });

  it('names the fork that was seen, and the variable that makes it known', () => {
    watch.onStranger(runtimeOf('@acme/paperclip'));
    minutes(2);
    expect(warnings).toEqual([
      'not attached: the runtime found is of package @acme/paperclip, and @paperclipai/server is expected. ' +
        'If it is a fork of Paperclip, set OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES=@acme/paperclip',
    ]);
  });

  it('names a version from before the runtime that is instrumented', () => {
    process.argv[1] = OLD_MAIN;
    minutes(2);
    expect(warnings).toEqual([
      'not attached: @paperclipai/server 2026.416.0 is not supported. Supported is 2026.427.0 and later; ' +
        'update Paperclip or this package',
    ]);
  });

  it('says so where the process is no Paperclip server at all', () => {
    process.argv[1] = '/nowhere/main.js';
    minutes(2);
    expect(warnings).toEqual([
      'not attached: this process listens, but has loaded no runtime of @paperclipai/server. ' +
        'If it is the server, bundled into one file, start it unbundled: a bundle cannot be attached to. ' +
        'If not, put the preload in front of the Paperclip server only',
    ]);
  });

  it('does not come where the server is attached', () => {
    watch.onPatched(runtimeOf());
    trace.setGlobalTracerProvider({ getTracer: () => trace.getTracer('none') });
    metrics.setGlobalMeterProvider({ getMeter: () => metrics.getMeter('none') });
    minutes(10);
    trace.disable();
    metrics.disable();
    expect(warnings).toEqual([]);
  });
});

describe('an instrumentation without the preload', () => {
  beforeEach(() => {
    shared.attachment.isPreloaded = false;
  });

  it('is amiss in a Paperclip server whose modules no hook intercepts', () => {
    minutes(3);
    expect(warnings).toEqual([
      'not attached: @paperclipai/server 2026.916.1 is loaded as ES modules, which are patched only behind ' +
        'a loader hook. Start Node.js with --import opentelemetry-instrumentation-paperclip/register',
    ]);
  });

  it('is not amiss in another server', () => {
    process.argv[1] = join(installed, '../main.js');
    minutes(3);
    expect(warnings).toEqual([]);
  });

  it('is not amiss where the host has its runtime instrumented itself', () => {
    watch.onInstrumented();
    minutes(3);
    expect(warnings).toEqual([]);
  });
});

describe('the watch ends when there is nothing left to find out', () => {
  const isWatching = () => vi.getTimerCount() > 0;

  it('in a server that was attached to and has an SDK', () => {
    watch.onPatched(runtimeOf());
    trace.setGlobalTracerProvider({ getTracer: () => trace.getTracer('none') });
    metrics.setGlobalMeterProvider({ getMeter: () => metrics.getMeter('none') });
    vi.advanceTimersByTime(59_000);
    expect(isWatching()).toBe(true);
    minutes(1);
    trace.disable();
    metrics.disable();
    expect({ warnings, isWatching: isWatching() }).toEqual({ warnings: [], isWatching: false });
  });

  it('with the warning that there is no SDK', () => {
    watch.onPatched(runtimeOf());
    minutes(2);
    expect({ warnings, isWatching: isWatching() }).toEqual({
      warnings: [expect.stringMatching(/^nothing is recorded: /)],
      isWatching: false,
    });
  });

  it('with the warning that nothing is attached, and goes on where something is after all', () => {
    minutes(2);
    expect({ warnings, isWatching: isWatching() }).toEqual({
      warnings: [expect.stringMatching(/^not attached: /)],
      isWatching: false,
    });
    watch.onPatched(runtimeOf());
    minutes(1);
    expect({ warnings, isWatching: isWatching() }).toEqual({
      warnings: [expect.anything(), expect.stringMatching(/^nothing is recorded: /)],
      isWatching: false,
    });
  });

  it('and not before the process listens', () => {
    isListening = false;
    watch.onPatched(runtimeOf());
    minutes(10);
    expect(isWatching()).toBe(true);
  });
});

describe('in a cluster', () => {
  const { workers = {} } = cluster;
  beforeEach(() => {
    Object.assign(workers, { 1: {} });
  });
  afterEach(() => delete workers[1]);

  it('a primary, which listens for its workers and loads no runtime, is no reason to warn', () => {
    minutes(10);
    expect(warnings).toEqual([]);
  });

  it('a primary that loads the runtime itself is named, because its workers get no preload', () => {
    watch.onPatched(runtimeOf());
    minutes(10);
    expect(warnings).toContain(
      'the workers of this cluster are not attached: its primary loads the runtime itself, and keeps this preload from all ' +
        'child processes. Import the server in the workers only',
    );
  });

  it('a worker is told that there is no SDK, although only the primary has a socket that listens', () => {
    delete workers[1];
    vi.spyOn(cluster, 'isWorker', 'get').mockReturnValue(true);
    isListening = false;
    watch.onPatched(runtimeOf());
    minutes(2);
    expect(warnings).toEqual([expect.stringMatching(/^nothing is recorded: /)]);
  });
});

describe('a version that cannot be instrumented', () => {
  it('is named at once, and only once', () => {
    watch.onUnsupported(runtimeOf(SERVER, '2026.918.0'));
    watch.onUnsupported(runtimeOf(SERVER, '2026.918.0'));
    minutes(10);
    expect(warnings).toEqual([
      'not attached: @paperclipai/server 2026.918.0 has no environmentRuntimeService to instrument. ' +
        'Supported is 2026.427.0 and later; update Paperclip or this package',
    ]);
  });
});

describe('the debug line', () => {
  const lines: unknown[][] = [];
  const logger = {
    error() {},
    warn() {},
    info() {},
    verbose() {},
    debug: (...line: unknown[]) => lines.push(line),
  };

  it('names version and layout once, as soon as there is a logger', () => {
    watch.onPatched(runtimeOf());
    watch.onPatched(runtimeOf());
    vi.advanceTimersByTime(50_000);
    diag.setLogger(logger, DiagLogLevel.DEBUG);
    minutes(1);
    expect(lines.filter(([scope]) => scope === 'opentelemetry-instrumentation-paperclip')).toEqual([
      [
        'opentelemetry-instrumentation-paperclip',
        'attached to @paperclipai/server 2026.916.1 (layout: pnpm)',
      ],
    ]);
  });
});

describe('an SDK in a copy of the API that this one cannot see', () => {
  const before = host[API];
  afterEach(() => {
    host[API] = before;
  });

  it.each(['trace', 'metrics'])('is named once, with what to install (%s)', (kind) => {
    watch.onPatched(runtimeOf());
    vi.advanceTimersByTime(30_000);
    expect(warnings).toEqual([]);
    host[API] = { version: '1.0.0', [kind]: {} };
    minutes(3);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^nothing is recorded: the SDK of this process is registered through @opentelemetry\/api 1\.0\.0, and this package uses 1\.\d+\.\d+, which does not read what an older version registered\. Install @opentelemetry\/api 1\.0\.0 beside opentelemetry-instrumentation-paperclip, with an @opentelemetry\/instrumentation that accepts it$/,
    );
  });
});
