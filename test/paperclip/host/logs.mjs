/** Writes a line as Paperclip's log does, through a worker thread of Paperclip's own pino, and says whether a preload runs. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const server = createRequire(fileURLToPath(import.meta.resolve('@paperclipai/server')));
const pino = server('pino');
const shared = globalThis[Symbol.for('opentelemetry-instrumentation-paperclip.shared.4')];
const isPreloaded = shared?.attachment.isPreloaded ?? false;
pino(pino.transport({ target: 'pino/file', options: { destination: 1 } })).info({ isPreloaded });
