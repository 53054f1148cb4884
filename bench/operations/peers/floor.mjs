// @ts-check
/** The calls to the API that make the span and the point of an operation, with every attribute at hand: what the SDK costs. */
import { context, metrics, SpanKind, trace } from '@opentelemetry/api';
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';
import { lease, makeDriver, onLease } from '../support/host.mjs';

const DIMENSIONS = {
  [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'sandbox',
  [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: 'execute',
  [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'daytona',
  [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: 'plugin_complete',
};
const AT_START = {
  ...DIMENSIONS,
  [semconv.ATTR_PAPERCLIP_ENVIRONMENT_ID]: 'environment-1',
  [semconv.ATTR_PAPERCLIP_LEASE_ID]: 'lease-1',
};
const DETAILS = {
  [semconv.ATTR_PAPERCLIP_LEASE_STATUS]: 'active',
  [semconv.ATTR_PAPERCLIP_LEASE_POLICY]: 'reuse_by_execution_workspace',
  [semconv.ATTR_PAPERCLIP_LEASE_AGE]: 1,
  [semconv.ATTR_PAPERCLIP_LEASE_TIME_TO_EXPIRY]: 3599,
  [semconv.ATTR_PAPERCLIP_COMPANY_ID]: 'company-1',
  [semconv.ATTR_PAPERCLIP_ISSUE_ID]: 'issue-1',
  [semconv.ATTR_PAPERCLIP_RUN_ID]: 'run-1',
};
const RESULT = { [semconv.ATTR_PROCESS_EXIT_CODE]: 0, [semconv.ATTR_PAPERCLIP_EXECUTE_TIMED_OUT]: false };

/** @param {boolean} isInstrumented */
export default function floor(isInstrumented) {
  const driver = makeDriver();
  const input = onLease(lease('lease-1'));
  const call = () => driver.execute(input);
  const tracer = trace.getTracer('floor');
  const { name, unit, boundaries } = semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION;
  const advice = { explicitBucketBoundaries: [...boundaries] };
  const durations = metrics.getMeter('floor').createHistogram(name, { unit, advice });

  async function observed() {
    const started = performance.now();
    const span = tracer.startSpan('execute sandbox', { kind: SpanKind.INTERNAL, attributes: AT_START });
    span.setAttributes(DETAILS);
    const result = await context.with(trace.setSpan(context.active(), span), call);
    durations.record((performance.now() - started) / 1000, DIMENSIONS);
    span.setAttributes(RESULT);
    span.end();
    return result;
  }

  const one = isInstrumented ? observed : call;
  return async (/** @type {number} */ operations) => {
    for (let done = 0; done < operations; done += 1) await one();
  };
}
