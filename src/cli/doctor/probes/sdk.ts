/**
 * Starts an SDK as it would be started, and answers with what it complains about. Sends nothing: the process is over
 * before anything is exported.
 *
 * Argument: JSON of {@link Start}.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answer } from './answer.js';

export interface Start {
  /** The folder from which the SDK is resolved. */
  readonly from: string;
  /** The package of the exporter of traces that it is given, and its `url`. */
  readonly exporter?: string | undefined;
  readonly url?: string | undefined;
}

export interface Started {
  /** Why it does not start. */
  readonly failure?: string;
  /** Warnings and errors that it gave to `diag`. */
  readonly warnings: readonly string[];
}

const { from, exporter, url }: Start = JSON.parse(process.argv[2] ?? '');
const here = createRequire(join(from, 'package.json'));
// The copy of the API that the SDK writes to.
const sdks = createRequire(here.resolve('@opentelemetry/sdk-node'));
const { diag, DiagLogLevel }: typeof import('@opentelemetry/api') = sdks('@opentelemetry/api');
const { NodeSDK }: typeof import('@opentelemetry/sdk-node') = here('@opentelemetry/sdk-node');

const warnings: string[] = [];
const keep = (...parts: unknown[]) =>
  warnings.push(parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' '));
const ignore = () => {};
diag.setLogger(
  { error: keep, warn: keep, info: ignore, debug: ignore, verbose: ignore },
  { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
);

try {
  const traceExporter = exporter === undefined ? undefined : new (here(exporter).OTLPTraceExporter)({ url });
  new NodeSDK({ ...(traceExporter !== undefined && { traceExporter }) }).start();
  answer<Started>({ warnings });
} catch (error) {
  answer<Started>({ warnings, failure: error instanceof Error ? error.message : String(error) });
}
