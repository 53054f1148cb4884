/**
 * Preload: `node --import opentelemetry-instrumentation-paperclip/register server.js`. Attaches to Paperclip
 * and uses the SDK that the host starts, also if it starts late.
 */
import { preload } from './preload.js';

await preload();
