/**
 * Preload: `node --import opentelemetry-instrumentation-paperclip/register server.js`. Attaches to Paperclip
 * and uses whatever SDK the host starts, however late.
 */
import { preload } from './preload.js';

await preload();
