/**
 * Registers an SDK through one copy of the API, and answers with who sees it.
 *
 * Input: {@link Copies}.
 */
import { createRequire } from 'node:module';
import { isSeenThrough, unseenApiVersion } from '../../../base/api.js';
import { answer, readInput } from './answer.js';

/** The paths of the copy that the SDK uses, and of Paperclip's. */
export interface Copies {
  readonly sdks: string;
  readonly paperclips: string;
}

/** Who sees what the SDK registered. */
export interface Seen {
  readonly byUs: boolean;
  readonly byPaperclip: boolean;
}

type Api = typeof import('@opentelemetry/api');

const require = createRequire(import.meta.url);
const copies = await readInput<Copies>();
const sdks: Api = require(copies.sdks);
const paperclips: Api = require(copies.paperclips);

sdks.trace.setGlobalTracerProvider({ getTracer: () => sdks.trace.getTracer('doctor') });
sdks.metrics.setGlobalMeterProvider({ getMeter: () => sdks.metrics.getMeter('doctor') });

answer<Seen>({ byUs: unseenApiVersion() === undefined, byPaperclip: isSeenThrough(paperclips) });
