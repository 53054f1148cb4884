/** Stands for a failure in the recoveries that follow it: the context of its span, to link to. */
import { type Link, type Span, type SpanContext, trace } from '@opentelemetry/api';
import type { Recovery } from '../recovery/outcomes.js';

/** Nothing where no span was recorded. */
export type FailureRef = SpanContext | undefined;

export function linksTo(recovery: Recovery<FailureRef> | undefined): Link[] {
  return recovery?.from === undefined ? [] : [{ context: recovery.from }];
}

export function refOf(span: Span | undefined): FailureRef {
  const context = span?.spanContext();
  return context !== undefined && trace.isSpanContextValid(context) ? context : undefined;
}
