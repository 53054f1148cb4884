// @ts-check
/**
 * A process whose telemetry leaves it in the way an operator would have it: by `./start`, and `OTEL_*` variables say where to. It is the demo with its traffic, and then operations in Paperclip's steps.
 *
 * Arguments: the seed of the traffic, how many requests it makes, and the module that keeps Paperclip's steps.
 * Prints the spans of all operations as JSON, as they were when they ended.
 */
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { PaperclipInstrumentation } from 'opentelemetry-instrumentation-paperclip';
import { createDrivers } from '../../../examples/demo/drivers.mjs';
import { ENVIRONMENTS } from '../../../examples/demo/environments.mjs';
import { startHost } from '../../../examples/demo/host.mjs';
import { LeaseStore } from '../../../examples/demo/leases.mjs';
import { createRandom } from '../../../examples/demo/random.mjs';
import { environmentRuntimeService } from '../../../examples/demo/runtime.mjs';
import { Traffic } from '../../../examples/demo/traffic.mjs';

const [seed = '', requests = '', stepsModule = ''] = process.argv.slice(2);
/** @type {object[]} */
const emitted = [];
const instrumentation = new PaperclipInstrumentation({
  responseHook(span) {
    const { name, attributes, links, parentSpanContext } =
      /** @type {import('@opentelemetry/sdk-node').tracing.ReadableSpan} */ (/** @type {unknown} */ (span));
    const context = span.spanContext();
    emitted.push({
      id: idOf(context),
      traceId: context.traceId,
      name,
      attributes: { ...attributes },
      parent: parentSpanContext && idOf(parentSpanContext),
      link: links[0] && idOf(links[0].context),
    });
  },
});

// The older of two instrumentations records, and this one has the hook.
await import('opentelemetry-instrumentation-paperclip/start');
/** @type {{ runStep: <T>(step: object, work: () => Promise<T>) => Promise<T> }} */
const { runStep } = await import(stepsModule);
const host = await startHost({ instrumentation }, Number(seed));
await new Traffic(host.url, Number(seed)).send(Number(requests), new AbortController().signal);
host.close();
await workInSteps();
process.stdout.write(JSON.stringify(emitted));

/** A refused open and its fallback, each in a step, and so in a trace, of its own. */
async function workInSteps() {
  const leases = new LeaseStore();
  const drivers = createDrivers(leases, createRandom(Number(seed)));
  const service = environmentRuntimeService(leases, { drivers, environments: ENVIRONMENTS });
  const runtime = instrumentation.instrumentRuntime(service);
  const environment = ENVIRONMENTS.get('e2b');
  if (!environment) throw new Error('the demo has no environment e2b');

  const owner = { environment, companyId: 'company-1', heartbeatRunId: 'run-in-steps' };
  const { lease } = await inStep('acquire.sandbox', () => runtime.acquireRunLease(owner));
  Reflect.deleteProperty(lease.metadata, 'sandboxProviderPlugin');
  const open = () => runtime.openDuplexChannel({ environment, lease, command: ['true'] });
  await inStep('bridge.paperclip', () => open().catch(() => {}));
  await inStep('session.turn', () => runtime.execute({ environment, lease, command: 'true' }));
  await inStep('release.sandbox', () => runtime.releaseRunLeases(owner.heartbeatRunId));
}

/**
 * What Paperclip does for each step of an agent run: a span, which is in no context but in that of the step.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function inStep(name, work) {
  const span = trace.getTracer('paperclip-server').startSpan(name);
  try {
    return await runStep({ parentContext: trace.setSpan(ROOT_CONTEXT, span) }, work);
  } finally {
    span.end();
  }
}

/** @param {import('@opentelemetry/api').SpanContext} context */
function idOf({ traceId, spanId }) {
  return `${traceId} ${spanId}`;
}
