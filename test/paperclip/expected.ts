/** Builds whole spans, metrics and log records as the tests expect them. */
import { createRequire } from 'node:module';
import type { Attributes, Exported } from './harness.js';

const SCOPE = 'opentelemetry-instrumentation-paperclip';
const { version } = createRequire(import.meta.url)(`${SCOPE}/package.json`) as { version: string };

/** Status codes of OpenTelemetry's API. */
export const UNSET = { code: 0 };
export const ERROR = { code: 2 };

/** The status of a failed span, with the message that the catalog fixes. */
export function failed(message?: string) {
  return message === undefined ? ERROR : { ...ERROR, message };
}

type Span = Exported['spans'][number];

/** A span of kind INTERNAL that succeeded, has no parent and no events, but for what is given. */
export function span(given: Pick<Span, 'name' | 'attributes'> & Partial<Span>): Span {
  return {
    scope: SCOPE,
    scopeVersion: version,
    kind: 0,
    status: UNSET,
    events: [],
    links: [],
    parent: null,
    ...given,
  };
}

/** The event of an exception; with its message and stack where the catalog fixes the message. */
export function exception(type: string, message?: string): Span['events'][number] {
  const text =
    message === undefined ? {} : { 'exception.message': message, 'exception.stacktrace': '<code locations>' };
  return { name: 'exception', attributes: { 'exception.type': type, ...text } };
}

/** `paperclip.environment.operation.duration` with these points, each recorded once. */
export function durations(...points: Attributes[]): Exported['metrics'][number] {
  const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
  return {
    scope: SCOPE,
    name: 'paperclip.environment.operation.duration',
    unit: 's',
    points: points.map((attributes) => ({ attributes, count: 1, boundaries })),
  };
}

/** `paperclip.lease.duration` with one point, recorded once. */
export function leaseDuration(attributes: Attributes): Exported['metrics'][number] {
  const boundaries = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14400, 43200, 86400];
  return {
    scope: SCOPE,
    name: 'paperclip.lease.duration',
    unit: 's',
    points: [{ attributes, count: 1, boundaries }],
  };
}
