/**
 * A host for the preload: loads the runtime named by its first argument, starts an SDK, opens a channel that is
 * refused, and prints what was recorded and what the process hands down to its children.
 */
import { trace } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';

const { environmentRuntimeService } = await import(process.argv[2]);
const spans = [];
const processor = {
  onStart() {},
  onEnd: ({ name, attributes }) => spans.push(`${name} ${attributes['error.type']}`),
  async forceFlush() {},
  async shutdown() {},
};
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
await environmentRuntimeService()
  .getDriver('sandbox')
  .openDuplexChannel({ environment: { driver: 'sandbox' }, lease: { metadata: {} } })
  .catch(() => {});
const { NODE_OPTIONS } = process.env;
console.log(JSON.stringify({ spans, NODE_OPTIONS, execArgv: process.execArgv }));
