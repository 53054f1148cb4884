/** Packages that stand in for Paperclip's, where an install of the real ones takes too long: of the same names and layout. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OURS } from './installs.mjs';

const VERSION = '2026.916.1';

/** The message of the real sandbox driver, by which the channel of the stand-in is refused. */
export const REFUSED = 'Sandbox driver does not support duplex channels for this lease.';

const RUNTIME = `
export function environmentRuntimeService() {
  const driver = {
    async openDuplexChannel() {
      throw new Error(${JSON.stringify(REFUSED)});
    },
  };
  return { getDriver: () => driver };
}
`;

/**
 * Has a channel refused and prints why. It then ends, or listens with the argument --listen. With --late it waits for an SDK
 * first, because a real server has no operation in its first seconds.
 */
const MAIN = `
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { environmentRuntimeService } from './services/environment-runtime.js';

const hasSdk = () => globalThis[Symbol.for('opentelemetry.js.api.1')]?.trace !== undefined;
if (process.argv.includes('--late')) for (let i = 0; i < 600 && !hasSdk(); i++) await setTimeout(50);
await environmentRuntimeService()
  .getDriver('sandbox')
  .openDuplexChannel({ environment: { driver: 'sandbox' }, lease: { metadata: {} } })
  .catch(({ message }) => console.log(message));
if (process.argv.includes('--listen')) createServer().listen(0, '127.0.0.1');
`;

/** The source of a host that instruments a driver and a service of its own, and prints {@link RECORDED}. */
export const HOST = `
import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { PaperclipInstrumentation } from '${OURS}';

const warnings = [];
process.on('warning', ({ message }) => warnings.push(message));
const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
const instrumentation = new PaperclipInstrumentation({ providers: ['acme'] });
const refuse = async () => { throw new Error(${JSON.stringify(REFUSED)}); };
const driver = instrumentation.instrumentDriver({ openDuplexChannel: refuse });
const service = instrumentation.instrumentRuntime({ execute: async () => ({ exitCode: 0 }), getDriver: () => driver });
const input = { environment: { driver: 'sandbox' }, lease: { metadata: {} } };
driver.openDuplexChannel(input).catch(() => service.execute(input)).then(() => {
  const spans = exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes['error.type'] ?? null]);
  console.log(JSON.stringify({ spans, warnings }));
});
`;

/** What that host prints: the names of its spans with their `error.type`, and the warnings of the process. */
export const RECORDED = {
  spans: [
    ['open_duplex_channel sandbox', 'unsupported-driver-operation'],
    ['execute sandbox', null],
  ],
  warnings: [],
};

/** Writes the package of the server into a folder. */
export function putServer(folder) {
  write(folder, {
    'package.json': manifest('@paperclipai/server', { exports: { '.': { import: './dist/index.js' } } }),
    'dist/index.js': MAIN,
    'dist/services/environment-runtime.js': RUNTIME,
  });
}

/** Writes the package with the command that starts the server in its own process into a folder. */
export function putLauncher(folder) {
  write(folder, {
    'package.json': manifest('paperclipai', {
      bin: { paperclipai: './index.js' },
      dependencies: { '@paperclipai/server': VERSION },
    }),
    'index.js': "#!/usr/bin/env node\nawait import('@paperclipai/server');\n",
  });
}

/** Writes files below a folder, by path. */
export function write(folder, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function manifest(name, others) {
  return JSON.stringify({ name, version: VERSION, type: 'module', ...others });
}
