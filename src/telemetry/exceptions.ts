/** Records an exception as a span event, a log record, or both (`OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN`). */
import type { Context, Span } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { Exception, Failure } from '../errors/failure.js';
import type { OperationRow } from '../operations/table.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  EVENT_EXCEPTION,
  EVENT_PAPERCLIP_ENVIRONMENT_OPERATION_EXCEPTION,
} from '../semconv.js';
import { exceptionAttributes } from './attributes.js';
import type { Telemetry } from './telemetry.js';

/** `WARN` of OpenTelemetry's logs data model: the operation failed, but the caller may do the work another way. */
const SEVERITY = { severityNumber: 13, severityText: 'WARN' };

/**
 * A span event is recorded where it says more than the `error.type` of its span: where a catalog record matched, or with
 * `errorDetail: "full"`.
 */
export function recordException(
  telemetry: Telemetry,
  row: OperationRow,
  span: Span | undefined,
  context: Context,
  failure: Failure,
  exception: Exception,
): void {
  const { exceptionSignals, errorDetail } = telemetry.settings;
  const { event, log } = exceptionSignals;
  const isTelling = failure.slug !== undefined || errorDetail === 'full';
  attempt('recording an exception failed', () => {
    const attributes = exceptionAttributes(exception);
    if (event && isTelling && span?.isRecording()) span.addEvent(EVENT_EXCEPTION, attributes);
    if (!log) return;
    telemetry.loggers.current()?.emit({
      eventName: EVENT_PAPERCLIP_ENVIRONMENT_OPERATION_EXCEPTION,
      ...SEVERITY,
      attributes: {
        ...attributes,
        [ATTR_ERROR_TYPE]: failure.errorType,
        [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: row.name,
      },
      context,
    });
  });
}
