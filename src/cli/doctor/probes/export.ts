/**
 * Sends empty exports with OpenTelemetry's own exporters, and answers with the outcome of each.
 *
 * Argument: JSON of {@link Exports}.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Attempt } from '../../otel/alternatives.js';
import type { Outcome } from '../../otel/causes.js';
import { otlpPackage, type Signal } from '../../otel/exporters.js';
import { answer } from './answer.js';

export interface Exports {
  /** The folder from which the SDK is resolved, whose exporters these are. */
  readonly from: string;
  readonly attempts: readonly Attempt[];
  /** Time limit of each attempt, in milliseconds. */
  readonly limit: number;
}

type Settle = (outcome: Outcome) => void;

/** Names of the exporters' classes. */
const CLASSES: Readonly<Record<Signal, string>> = {
  traces: 'OTLPTraceExporter',
  metrics: 'OTLPMetricExporter',
  logs: 'OTLPLogExporter',
};

const { from, attempts, limit }: Exports = JSON.parse(process.argv[2] ?? '');
const sdk = createRequire(createRequire(join(from, 'package.json')).resolve('@opentelemetry/sdk-node'));
const current = new AsyncLocalStorage<Settle>();

// An exporter tries again until its time is over, and does not say why. So the first request is watched.
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
        const Exporter = sdk(otlpPackage(signal, protocol))[CLASSES[signal]];
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

/** An empty export. */
function contentOf(signal: Signal): unknown {
  if (signal !== 'metrics') return [];
  const { resourceFromAttributes } = sdk('@opentelemetry/resources');
  return { resource: resourceFromAttributes({}), scopeMetrics: [] };
}

answer(await Promise.all(attempts.map(attempt)));
