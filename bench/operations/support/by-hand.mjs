// @ts-check
/** The telemetry of a driver's operations, written by hand around its calls. */
import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import * as semconv from 'opentelemetry-instrumentation-paperclip/semconv';

/** @import { Attributes } from '@opentelemetry/api' */
/** @import { Driver, Input, Lease } from './host.mjs' */

/**
 * The same span and the same points as the instrumentation's, for a driver whose leases and errors are known to
 * the one who writes this: nothing is held against a closed set, and nothing is followed from one call to another.
 *
 * @param {Driver} driver
 * @param {{ countActive?: boolean, keepFrames?: boolean }} [options] whether operations under way are counted, and
 *   whether there is room on the stacks of errors for the frames that stand between the host and the driver
 * @returns {Pick<Driver, 'execute' | 'openDuplexChannel'>}
 */
export function instrumentByHand(driver, { countActive = true, keepFrames = false } = {}) {
  const tracer = trace.getTracer('by-hand', '1.0.0');
  const meter = metrics.getMeter('by-hand', '1.0.0');
  const { name, unit, description, boundaries } = semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION;
  const advice = { explicitBucketBoundaries: [...boundaries] };
  const durations = meter.createHistogram(name, { unit, description, advice });
  const active = meter.createUpDownCounter(semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE.name);

  /**
   * @template T
   * @param {string} operation
   * @param {Input} input
   * @param {() => Promise<T>} call
   * @param {(result: T) => Attributes} [describe]
   * @returns {Promise<T>}
   */
  async function observed(operation, { environment, lease }, call, describe) {
    const started = performance.now();
    const startedAt = Date.now();
    const underWay = {
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: operation,
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: driver.driver,
    };
    /** @type {Attributes} */
    const dimensions = {
      ...underWay,
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: lease.provider,
      [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: shapeOf(lease),
    };
    const span = tracer.startSpan(`${operation} ${driver.driver}`, {
      kind: SpanKind.INTERNAL,
      attributes: {
        ...dimensions,
        [semconv.ATTR_PAPERCLIP_ENVIRONMENT_ID]: environment.id,
        [semconv.ATTR_PAPERCLIP_LEASE_ID]: lease.id,
      },
    });
    if (span.isRecording()) {
      span.setAttributes({
        [semconv.ATTR_PAPERCLIP_LEASE_STATUS]: lease.status,
        [semconv.ATTR_PAPERCLIP_LEASE_POLICY]: lease.leasePolicy,
        [semconv.ATTR_PAPERCLIP_LEASE_AGE]: (startedAt - lease.acquiredAt.getTime()) / 1000,
        [semconv.ATTR_PAPERCLIP_LEASE_TIME_TO_EXPIRY]: (lease.expiresAt.getTime() - startedAt) / 1000,
        [semconv.ATTR_PAPERCLIP_COMPANY_ID]: lease.companyId,
        [semconv.ATTR_PAPERCLIP_ISSUE_ID]: lease.issueId,
        [semconv.ATTR_PAPERCLIP_RUN_ID]: lease.heartbeatRunId,
      });
    }
    if (countActive) active.add(1, underWay);
    try {
      const inSpan = () => context.with(trace.setSpan(context.active(), span), call);
      const result = await (keepFrames ? withLongerStacks(inSpan) : inSpan());
      if (describe !== undefined && span.isRecording()) span.setAttributes(describe(result));
      return result;
    } catch (error) {
      const tag = semconv.TAG_UNSUPPORTED_DRIVER_OPERATION;
      dimensions[semconv.ATTR_ERROR_TYPE] = tag;
      span.setAttributes({
        [semconv.ATTR_ERROR_TYPE]: tag,
        [semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG]: tag,
        [semconv.ATTR_PAPERCLIP_ERROR_SLUG]: 'sandbox-driver-does-not-support-duplex-channels-fo',
      });
      span.recordException(/** @type {Error} */ (error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      durations.record((performance.now() - started) / 1000, dimensions);
      if (countActive) active.add(-1, underWay);
      span.end();
    }
  }

  return {
    execute: (input) =>
      observed(
        'execute',
        input,
        () => driver.execute(input),
        ({ exitCode, timedOut }) => ({
          [semconv.ATTR_PROCESS_EXIT_CODE]: exitCode,
          [semconv.ATTR_PAPERCLIP_EXECUTE_TIMED_OUT]: timedOut,
        }),
      ),
    openDuplexChannel: (input) =>
      observed('open_duplex_channel', input, () => driver.openDuplexChannel(input)),
  };
}

/** As many as stand there: this function's, the API's and the context manager's. */
const OWN_FRAMES = 8;

/**
 * @template T
 * @param {() => T} call
 */
function withLongerStacks(call) {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = limit + OWN_FRAMES;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function shapeOf(/** @type {Lease} */ { metadata, providerLeaseId }) {
  if (!metadata.sandboxProviderPlugin) return 'non_plugin';
  return metadata.pluginId && metadata.provider && providerLeaseId ? 'plugin_complete' : 'plugin_incomplete';
}
