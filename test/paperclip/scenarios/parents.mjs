/** Operations inside the steps that Paperclip keeps the context of itself, and outside of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { context, trace } from '@opentelemetry/api';
import { plainAnswers, plainInputs } from '../host/operations.mjs';
import { database, pluginRow, sandboxEnvironment, sandboxLease, workerManager } from '../host/stage.mjs';
import {
  createRuntimeSpanRunner,
  measureStartupStep,
  NOOP_STARTUP_TRACE_CONTEXT,
  runWithoutActiveStep,
  runWithRuntimeParent,
} from '../node_modules/@paperclipai/adapter-utils/dist/acpx-engine/startup-timing.js';
import { getStartupTraceContext } from '../node_modules/@paperclipai/server/dist/instrumentation.js';

export function prepare({ environmentRuntimeService }) {
  const environment = sandboxEnvironment();
  const lease = sandboxLease();
  const tables = { plugins: [pluginRow()], environments: [environment], environment_leases: [{ ...lease }] };
  const service = environmentRuntimeService(database(tables), {
    pluginWorkerManager: workerManager(plainAnswers),
  });
  const driver = service.getDriver('sandbox');
  const input = { environment, lease, ...plainInputs.execute };
  const execute = () => driver.execute(input);
  return {
    'in a step': () => inStep('bridge.paperclip', execute),
    'in a step, after a timer': () => inStep('bridge.paperclip', () => nextTurn().then(execute)),
    'in a step, through the service': () => inStep('bridge.paperclip', () => service.execute(input)),
    'in a step in a step': () => inStep('outer', () => inStep('inner', execute)),
    'in a step, two at once': () => inStep('bridge.paperclip', () => Promise.all([execute(), execute()])),
    'in two steps at once': () =>
      Promise.all([inStep('first', () => nextTurn().then(execute)), inStep('second', execute)]),
    'in a step, an operation of several': () =>
      inStep('bridge.paperclip', () => service.releaseRunLeases(lease.heartbeatRunId, 'released')),
    'after a step': async () => {
      await inStep('bridge.paperclip', () => nextTurn());
      return await execute();
    },
    'under the runtime parent': () =>
      inSpan('run', (span) => runWithRuntimeParent(traces().contextWithSpan(span), execute)),
    'in a runtime span': () => createRuntimeSpanRunner(traces(), () => undefined)('session.turn', execute),
    'in a step, with an active span': () =>
      inStep('bridge.paperclip', () => inSpan('request', (span) => withActive(span, execute))),
    'with an active span, in a step': () =>
      inSpan('request', (span) => withActive(span, () => inStep('bridge.paperclip', execute))),
    'with an active span': () => inSpan('request', (span) => withActive(span, execute)),
    'with neither': execute,
    'in a step that is left': () => inStep('bridge.paperclip', () => runWithoutActiveStep(execute)),
    'in a step without tracing': () => inStep('bridge.paperclip', execute, NOOP_STARTUP_TRACE_CONTEXT),
  };
}

/** What the server hands to its adapters. */
function traces() {
  return getStartupTraceContext();
}

function inStep(name, work, { tracer, contextWithSpan } = traces()) {
  return measureStartupStep({}, () => performance.now(), name, work, { tracer, contextWithSpan });
}

/** A span of the host that is not made active. */
async function inSpan(name, work) {
  const span = trace.getTracer('host').startSpan(name);
  try {
    return await work(span);
  } finally {
    span.end();
  }
}

function withActive(span, work) {
  return context.with(trace.setSpan(context.active(), span), work);
}
