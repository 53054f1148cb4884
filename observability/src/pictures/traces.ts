/** Which of the demo's traces are shown: one for each way to recover from a refused open. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_RECOVERY_KIND,
  type RecoveryKind,
  VALUE_OTHER,
} from '../../../src/semconv.js';
import type { Span } from './spans.js';

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
export const ERROR = 2;

/** A span, how deep it is below the root, and the span that it recovers from. */
export interface Row {
  readonly span: Span;
  readonly depth: number;
  readonly failure?: Span;
}

export interface Trace {
  readonly root: Span;
  /** The root first, each span below its parent. */
  readonly rows: readonly Row[];
  readonly start: number;
  /** Microseconds from the first start to the last end. */
  readonly duration: number;
}

/** The first that did not fail in the end and in which a span recovers that way from another one, on a provider whose name is known. */
export function traceWith(kind: RecoveryKind, spans: readonly Span[]): Trace {
  const found = spans.find(
    ({ traceId, attributes, links }) =>
      attributes[ATTR_PAPERCLIP_RECOVERY_KIND] === kind &&
      attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER] !== VALUE_OTHER &&
      spans.some((span) => span.traceId === traceId && links.includes(span.spanId)) &&
      spans.some((span) => span.traceId === traceId && span.parentId === undefined && span.status !== ERROR),
  );
  if (!found) throw new Error(`no trace with a link of the kind ${kind}`);
  return traceOf(spans.filter(({ traceId }) => traceId === found.traceId));
}

function traceOf(spans: readonly Span[]): Trace {
  const start = Math.min(...spans.map((span) => span.start));
  const end = Math.max(...spans.map((span) => span.start + span.duration));
  const byStart = [...spans].sort((a, b) => a.start - b.start);
  const below = (parent: string | undefined, depth: number): Row[] =>
    byStart
      .filter(({ parentId }) => parentId === parent)
      .flatMap((span) => {
        const failure = spans.find(({ spanId }) => span.links.includes(spanId));
        return [{ span, depth, ...(failure && { failure }) }, ...below(span.spanId, depth + 1)];
      });
  const rows = below(undefined, 0);
  return { root: (rows[0] as Row).span, rows, start, duration: end - start };
}
