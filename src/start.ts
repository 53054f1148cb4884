/**
 * Preload: `node --import opentelemetry-instrumentation-paperclip/start server.js`. Attaches to Paperclip and
 * starts OpenTelemetry's NodeSDK as the standard `OTEL_*` variables describe it.
 */
import { isWanted, preload } from './attach/preload.js';
import { startSdk } from './start/sdk.js';

await preload();
if (isWanted()) await startSdk();
