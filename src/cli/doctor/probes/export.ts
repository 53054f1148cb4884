/**
 * Sends exports without content by OpenTelemetry's own exporters, and answers with how each of them went.
 *
 * Argument: JSON of {@link Exports}.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Protocol, Signal } from '../exporters.js';
import { EXPORTERS } from '../which-sdk.js';
import { answer } from './answer.js';

export interface Attempt {
  readonly signal: Signal;
  readonly protocol: Protocol;
  /** Where the variables do not say it. */
  readonly url?: string | undefined;
}

export interface Exports {
  /** The folder from which the SDK is resolved, whose exporters these are. */
  readonly from: string;
  readonly attempts: readonly Attempt[];
  /** For each of them, in milliseconds. */
  readonly limit: number;
}

export interface Outcome {
  readonly isDone: boolean;
  /** Of an answer over HTTP. */
  readonly status?: number | undefined;
  readonly contentType?: string | undefined;
  /** Of Node.js, such as `ECONNREFUSED`, or of gRPC: a number. */
  readonly code?: string | number | undefined;
  readonly message?: string | undefined;
  /** How long an answer took, in milliseconds. */
  readonly took?: number | undefined;
}

type Settle = (outcome: Outcome) => void;

const SIGNALS: Readonly<Record<Signal, readonly [part: string, name: string]>> = {
  traces: ['trace', 'OTLPTraceExporter'],
  metrics: ['metrics', 'OTLPMetricExporter'],
  logs: ['logs', 'OTLPLogExporter'],
};

const { from, attempts, limit }: Exports = JSON.parse(process.argv[2] ?? '');
const sdk = createRequire(createRequire(join(from, 'package.json')).resolve('@opentelemetry/sdk-node'));
const current = new AsyncLocalStorage<Settle>();

// The exporter itself tries again until its time is over, and does not say why.
subscribe('http.client.request.start', (message) => {
  const settle = current.getStore();
  const { request } = message as { request: ClientRequest };
  const start = performance.now();
  request.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    settle?.({ isDone: false, code, message }),
  );
  request.on('response', ({ statusCode: status = 0, statusMessage, headers }: IncomingMessage) => {
    const contentType = headers['content-type'];
    const isDone = status >= 200 && status < 300 && !contentType?.startsWith('text/html');
    settle?.({ isDone, status, contentType, message: statusMessage, took: performance.now() - start });
  });
});

function attempt({ signal, protocol, url }: Attempt): Promise<Outcome> {
  return new Promise((settle) => {
    const late = setTimeout(settle, limit + 500, { isDone: false, code: 'ETIMEDOUT' } satisfies Outcome);
    const end: Settle = (outcome) => {
      clearTimeout(late);
      settle(outcome);
    };
    current.run(end, () => {
      try {
        const [part, name] = SIGNALS[signal];
        const Exporter = sdk(`@opentelemetry/exporter-${part}-otlp-${EXPORTERS[protocol]}`)[name];
        const exporter = new Exporter({ timeoutMillis: limit, ...(url !== undefined && { url }) });
        const start = performance.now();
        exporter.export(
          contentOf(signal),
          ({ code, error }: { code: number; error?: NodeJS.ErrnoException }) =>
            end(
              code === 0
                ? { isDone: true, took: performance.now() - start }
                : { isDone: false, code: error?.code, message: error?.message },
            ),
        );
      } catch (error) {
        end({ isDone: false, code: 'ERR_INVALID_URL', message: error instanceof Error ? error.message : '' });
      }
    });
  });
}

/** Nothing, as an exporter takes it. */
function contentOf(signal: Signal): unknown {
  if (signal !== 'metrics') return [];
  const { resourceFromAttributes } = sdk('@opentelemetry/resources');
  return { resource: resourceFromAttributes({}), scopeMetrics: [] };
}

answer(await Promise.all(attempts.map(attempt)));
