/** Hands over what the SDK of the process has not exported yet. */
import { metrics, type ProxyTracerProvider, trace } from '@opentelemetry/api';

/** Asks the providers of spans and metrics to export what they have. Rejects where an exporter fails. */
export async function flushProviders(): Promise<void> {
  const traces = trace.getTracerProvider();
  const delegate = (traces as Partial<ProxyTracerProvider>).getDelegate?.() ?? traces;
  await Promise.all([delegate, metrics.getMeterProvider()].map(flush));
}

async function flush(provider: object): Promise<void> {
  await (provider as { forceFlush?(): Promise<void> }).forceFlush?.();
}
