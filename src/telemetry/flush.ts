/** Exports what the SDK of the process has not exported yet. */
import { metrics, trace } from '@opentelemetry/api';
import { delegateOf } from './providers.js';

/** Flushes the providers of spans and metrics. Rejects if an exporter fails. */
export async function flushProviders(): Promise<void> {
  const tracers = delegateOf(trace.getTracerProvider());
  await Promise.all([tracers, metrics.getMeterProvider()].map(flush));
}

async function flush(provider: object): Promise<void> {
  await (provider as { forceFlush?(): Promise<void> }).forceFlush?.();
}
