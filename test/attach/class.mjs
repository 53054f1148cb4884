/** A host's own set-up: OpenTelemetry's documented hook, and the instrumentation without its preload. */
import { register } from 'node:module';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
new PaperclipInstrumentation();
