/** Records an exception as a span event, a log record, or both (`OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN`). */
import type { Context, Span } from '@opentelemetry/api';
import { attempt } from '../base/faults.js';
import type { Failure } from '../errors/failure.js';
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

export function recordException(
  telemetry: Telemetry,
  row: OperationRow,
  span: Span | undefined,
  context: Context,
  failure: Failure,
): void {
  const { event, log } = telemetry.settings.exceptionSignals;
  attempt('recording an exception failed', () => {
    const attributes = exceptionAttributes(failure);
    if (event && span?.isRecording()) span.addEvent(EVENT_EXCEPTION, attributes);
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
