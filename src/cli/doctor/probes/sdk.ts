/**
 * Starts an SDK as the server would, and answers with its complaints. The process ends before anything is exported.
 *
 * Input: {@link Start}.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answer, readInput } from './answer.js';

export interface Start {
  /** The folder from which the SDK is resolved. */
  readonly from: string;
  /** The package of an exporter of traces to give to it, and the exporter's `url`. */
  readonly exporter?: string | undefined;
  readonly url?: string | undefined;
}

export interface Started {
  /** Why it does not start. */
  readonly failure?: string;
  /** The warnings and errors that it logged. */
  readonly warnings: readonly string[];
}

const { from, exporter, url } = await readInput<Start>();
const here = createRequire(join(from, 'package.json'));
// The SDK logs to this copy of the API.
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
