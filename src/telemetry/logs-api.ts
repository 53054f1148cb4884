/**
 * The few members of OpenTelemetry's logs API that are used here. The API's own types are in `@opentelemetry/api` from 1.10
 * on, and in `@opentelemetry/api-logs` before. Both fit these.
 */
import type { Attributes, Context } from '@opentelemetry/api';

export interface LogRecord {
  readonly eventName: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly attributes: Attributes;
  readonly context: Context;
}

export interface Logger {
  emit(record: LogRecord): void;
}

export interface LoggerProvider {
  getLogger(name: string, version?: string): Logger;
}
