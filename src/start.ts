/**
 * Preload: `node --import opentelemetry-instrumentation-paperclip/start server.js`. Attaches to Paperclip and
 * starts OpenTelemetry's NodeSDK, which the standard `OTEL_*` variables configure.
 */

import { isServer } from './attach/server.js';
import { whenAttached } from './attach/watch.js';
import { serverPackages } from './config.js';
import { isWanted, preload } from './preload.js';
import { startSdk } from './start/sdk.js';

await preload();
if (isWanted()) {
  // In any other program, such as npx, a dev runner or a cluster's primary, the SDK would take the Prometheus exporter's port
  // from the server.
  if (isServer(serverPackages(process.env), process.argv[1])) await startSdk();
  else whenAttached(() => void startSdk());
}
