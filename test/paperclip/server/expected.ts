/** What the telemetry of a server should say, told from what others than the instrumentation recorded. */
import type { Attributes, Metric, Span } from '../../support/otlp.js';
import type { Call } from './site.js';

export const SCOPE = 'opentelemetry-instrumentation-paperclip';

const OPERATION_OF_HOOK: Record<string, string> = {
  environmentAcquireLease: 'acquire_run_lease',
  environmentReleaseLease: 'release_run_lease',
  environmentRealizeWorkspace: 'realize_workspace',
  environmentExecute: 'execute',
  duplexChannelOpen: 'open_duplex_channel',
};

/** The operations that the plug-in saw, each as `<operation> of <environment>`, in alphabetical order. */
export function operationsOfCalls(calls: readonly Call[]): string[] {
  return calls.map(({ hook, environmentId }) => `${OPERATION_OF_HOOK[hook]} of ${environmentId}`).sort();
}

/** The operations that the spans tell of, in the same form. */
export function operationsOfSpans(spans: readonly Span[]): string[] {
  return spans
    .map(({ attributes }) => `${operationOf(attributes)} of ${attributes['paperclip.environment.id']}`)
    .sort();
}

/** How often each operation ended in which way, from the spans. */
export function endsOfSpans(spans: readonly Span[]): Record<string, number> {
  return count(spans.map(({ attributes }) => [endOf(attributes), 1]));
}

/** The same from the histogram of durations, whose points say all that was recorded up to the latest. */
export function endsOfMetrics(metrics: readonly Metric[]): Record<string, number> {
  const durations = latest(metrics, 'paperclip.environment.operation.duration');
  return count(durations.map(({ attributes, value }) => [endOf(attributes), value]));
}

/** The latest points of a metric: one for each set of attributes. */
export function latest(metrics: readonly Metric[], name: string): Metric[] {
  const points = metrics.filter((metric) => metric.scope === SCOPE && metric.name === name);
  return [...new Map(points.map((point) => [JSON.stringify(point.attributes), point])).values()];
}

export function ofScope<T extends { scope: string }>(items: readonly T[]): T[] {
  return items.filter(({ scope }) => scope === SCOPE);
}

function operationOf(attributes: Attributes): unknown {
  return attributes['paperclip.environment.operation.name'];
}

function endOf(attributes: Attributes): string {
  return `${operationOf(attributes)}: ${attributes['error.type'] ?? 'success'}`;
}

function count(ends: [string, number][]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [end, times] of ends) counts[end] = (counts[end] ?? 0) + times;
  return counts;
}
