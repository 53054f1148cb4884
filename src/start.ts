/**
 * Preload: `node --import opentelemetry-instrumentation-paperclip/start server.js`. Attaches to Paperclip and
 * starts OpenTelemetry's NodeSDK, which the standard `OTEL_*` variables configure.
 */

import { isLauncher } from './attach/server.js';
import { whenAttached } from './attach/watch.js';
import { isWanted, preload } from './preload.js';
import { startSdk } from './start/sdk.js';

await preload();
if (isWanted()) {
  // In a launcher, such as npx, the SDK would take the Prometheus exporter's port from the server.
  if (isLauncher(process.argv[1])) whenAttached(() => void startSdk());
  else await startSdk();
}
