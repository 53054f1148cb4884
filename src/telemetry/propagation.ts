/** Passes the context of a span on to processes, in environment variables. */
import { type Context, propagation, type TextMapSetter } from '@opentelemetry/api';

const NAMES: ReadonlySet<string> = new Set(['TRACEPARENT', 'TRACESTATE', 'BAGGAGE']);
/**
 * Other characters no header of these may have, and a NUL would keep a process from being started. The W3C limits a trace state to 512
 * characters. A baggage may be longer, but Daytona's plug-in types the command of a channel into a terminal, which takes 4096.
 */
const VALUE = /^[\x20-\x7e]{1,1024}$/;

/** A field's name as that of a variable: https://opentelemetry.io/docs/specs/otel/context/env-carriers/ */
const setter: TextMapSetter<Record<string, string>> = {
  set(variables, field, value) {
    const name = field.toUpperCase();
    if (NAMES.has(name) && VALUE.test(value)) variables[name] = value;
  },
};

/** What the global propagator says of the context. */
export function variablesOf(context: Context): Record<string, string> {
  const variables: Record<string, string> = {};
  propagation.inject(context, variables, setter);
  return variables;
}
