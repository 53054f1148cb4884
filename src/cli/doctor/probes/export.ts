/**
 * Sends empty exports with OpenTelemetry's own exporters, and answers with the outcome of each.
 *
 * Input: {@link Exports}.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Attempt } from '../../otel/alternatives.js';
import type { Outcome } from '../../otel/causes.js';
import { otlpPackage, type Signal } from '../../otel/exporters.js';
import { answer, readInput } from './answer.js';

export interface Exports {
  /** The folder from which the SDK is resolved, whose exporters these are. */
  readonly from: string;
  readonly attempts: readonly Attempt[];
  /** Time limit of each attempt, in milliseconds. */
  readonly limit: number;
}

/** What is known of an attempt before it is over. */
interface Running {
  readonly settle: (outcome: Outcome) => void;
  /** When its request began. */
  start: number;
  /** The head of an answer that may be a collector's, once it is there. */
  head?: Partial<Outcome>;
}

/** Names of the exporters' classes. */
const CLASSES: Readonly<Record<Signal, string>> = {
  traces: 'OTLPTraceExporter',
  metrics: 'OTLPMetricExporter',
  logs: 'OTLPLogExporter',
};

const { from, attempts, limit } = await readInput<Exports>();
const sdk = createRequire(createRequire(join(from, 'package.json')).resolve('@opentelemetry/sdk-node'));
const current = new AsyncLocalStorage<Running>();

// An exporter tries again until its time is over, and does not say why. So the first request is watched.
subscribe('http.client.request.start', (message) => {
  const running = current.getStore();
  if (running === undefined) return;
  const { request } = message as { request: ClientRequest };
  running.start = performance.now();
  request.on('error', ({ code, message }: NodeJS.ErrnoException) =>
    running.settle({ isDone: false, code, message }),
  );
  request.on('response', ({ statusCode: status = 0, statusMessage, headers }: IncomingMessage) => {
    const head = { status, contentType: headers['content-type'], message: statusMessage };
    const mayBeDone = status >= 200 && status < 300 && !head.contentType?.startsWith('text/html');
    // The exporter is done when the whole answer is there.
    if (mayBeDone) running.head = head;
    else running.settle({ isDone: false, ...head });
  });
});

function attempt(Exporter: ExporterClass, { signal, url }: Attempt): Promise<Outcome> {
  return new Promise((settle) => {
    const running: Running = { settle, start: performance.now() };
    current.run(running, () => {
      try {
        // The limit of this process counts, because it tells what has been answered by then.
        const exporter = new Exporter({ timeoutMillis: 2 * limit, ...(url !== undefined && { url }) });
        exporter.export(contentOf(signal), ({ code, error }) =>
          settle(
            code === 0
              ? { isDone: true, took: performance.now() - running.start }
              : { isDone: false, code: error?.code, message: error?.message, ...running.head },
          ),
        );
      } catch (error) {
        settle({
          isDone: false,
          code: 'ERR_INVALID_URL',
          message: error instanceof Error ? error.message : '',
        });
      }
    });
    setTimeout(() => {
      // Where this process was held up, answers may be waiting to be read.
      setImmediate(() => {
        const { head } = running;
        settle({ isDone: false, code: 'ETIMEDOUT', ...head, isUnfinished: head !== undefined });
      });
    }, limit);
  });
}

type ExporterClass = new (options: {
  timeoutMillis: number;
  url?: string;
}) => {
  export(content: unknown, done: (result: { code: number; error?: NodeJS.ErrnoException }) => void): void;
};

/** Loads an exporter. gRPC would be loaded with its first export, and all other attempts would have to wait. */
function load({ signal, protocol }: Attempt): ExporterClass {
  const name = otlpPackage(signal, protocol);
  if (protocol === 'grpc') {
    const base = createRequire(sdk.resolve(name)).resolve('@opentelemetry/otlp-grpc-exporter-base');
    createRequire(base)('@grpc/grpc-js');
  }
  return sdk(name)[CLASSES[signal]];
}

/** An empty export. */
function contentOf(signal: Signal): unknown {
  if (signal !== 'metrics') return [];
  const { resourceFromAttributes } = sdk('@opentelemetry/resources');
  return { resource: resourceFromAttributes({}), scopeMetrics: [] };
}

// Loading takes long on a busy machine, and the time of no attempt has begun by then.
const loaded = attempts.map((each) => ({ each, Exporter: load(each) }));
answer(await Promise.all(loaded.map(({ each, Exporter }) => attempt(Exporter, each))));
