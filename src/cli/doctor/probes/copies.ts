/**
 * Registers an SDK through one copy of the API, and answers with who sees it.
 *
 * Arguments: the paths of the copy that the SDK uses, and of Paperclip's.
 */
import { createRequire } from 'node:module';
import { isSeenThrough, unseenApiVersion } from '../../../base/api.js';
import { answer } from './answer.js';

/** Who sees what the SDK registered. */
export interface Seen {
  readonly byUs: boolean;
  readonly byPaperclip: boolean;
}

type Api = typeof import('@opentelemetry/api');

const require = createRequire(import.meta.url);
const [sdks, paperclips] = process.argv.slice(2).map((path): Api => require(path)) as [Api, Api];

sdks.trace.setGlobalTracerProvider({ getTracer: () => sdks.trace.getTracer('doctor') });
sdks.metrics.setGlobalMeterProvider({ getMeter: () => sdks.metrics.getMeter('doctor') });

answer<Seen>({ byUs: unseenApiVersion() === undefined, byPaperclip: isSeenThrough(paperclips) });
