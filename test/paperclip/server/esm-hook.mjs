/** OpenTelemetry's loader hook for ES modules, as its documentation shows it. */
import { register } from 'node:module';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
