/**
 * A host for the preload: loads the runtimes that its arguments name, starts an SDK, opens a channel of each that is
 * refused, and prints what was recorded and what the process hands down to its children.
 */
import { trace } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';

const runtimes = [];
for (const path of process.argv.slice(2)) runtimes.push(await import(path));
const spans = [];
const processor = {
  onStart() {},
  onEnd: ({ name, attributes }) => spans.push(`${name} ${attributes['error.type']}`),
  async forceFlush() {},
  async shutdown() {},
};
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }));
for (const { environmentRuntimeService } of runtimes)
  await environmentRuntimeService()
    .getDriver('sandbox')
    .openDuplexChannel({ environment: { driver: 'sandbox' }, lease: { metadata: {} } })
    .catch(() => {});
const { NODE_OPTIONS } = process.env;
console.log(JSON.stringify({ spans, NODE_OPTIONS, execArgv: process.execArgv }));
