/** Where faults of our own end: one diagnostic for each kind, never in the host. */
import { types } from 'node:util';
import { diag } from '@opentelemetry/api';
import { PACKAGE_NAME } from '../version.js';
import { registered } from './api-global.js';

/** The part of our work that failed. A closed set, so that the number of diagnostics is bounded. */
export type FaultKind =
  | 'reading an operation failed'
  | 'starting a span failed'
  | 'activating a span failed'
  | 'classifying an error failed'
  | 'recording an exception failed'
  | 'recording a metric failed'
  | 'following a recovery failed'
  | 'ending a span failed'
  | 'requestHook failed'
  | 'responseHook failed'
  | 'listening to the module loader failed'
  | 'patching a module failed'
  | 'wrapping a driver or service failed'
  | 'observing a duplex channel failed'
  | 'finding the parent span failed'
  | 'looking up a provider failed'
  | 'adding a cause failed'
  | 'watching for Paperclip failed';

const reported = new Set<FaultKind>();
const { then } = Promise.prototype;

/** Does what may fail on our side; a failure is reported and leaves `undefined`. */
export function attempt<T>(kind: FaultKind, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    reportFault(kind, error);
    return undefined;
  }
}

/**
 * Drops what a call of somebody else's code gave back. Where that code is asynchronous, it is not waited for, but its
 * rejection must not become an unhandled one.
 */
export function drop(kind: FaultKind, returned: unknown): void {
  onRejection(returned, (error) => reportFault(kind, error));
}

function onRejection(returned: unknown, work: (error: unknown) => void): void {
  if (returned !== undefined && types.isPromise(returned)) Reflect.apply(then, returned, [undefined, work]);
}

/**
 * Reports a fault, the first of its kind only. Says no more of the error than its class: what a hostile
 * lease or a hook throws may carry the host's data.
 */
export function reportFault(kind: FaultKind, error: unknown): void {
  if (reported.has(kind) || !hasDiagLogger()) return;
  reported.add(kind);
  tell('warn', `${kind} (${classOf(error)}); the operation itself is not affected. Reported once.`);
}

function tell(level: 'warn' | 'debug', message: string): void {
  try {
    onRejection(diag.createComponentLogger({ namespace: PACKAGE_NAME })[level](message), () => {});
  } catch {
    // A logger that throws has nobody left to tell.
  }
}

function classOf(error: unknown): string {
  try {
    return error instanceof Error ? error.constructor.name : typeof error;
  } catch {
    return 'unreadable error';
  }
}

/** Tells an operator something about the configuration: through `diag`, or, before a logger is set, Node.js. */
export function warnOperator(message: string): void {
  if (hasDiagLogger()) tell('warn', message);
  else process.emitWarning(message, { type: 'PaperclipInstrumentationWarning' });
}

/** For those who look into how things work; `false` where there is no logger that could take it. */
export function debug(message: string): boolean {
  if (!hasDiagLogger()) return false;
  tell('debug', message);
  return true;
}

function hasDiagLogger(): boolean {
  return Boolean(registered().diag);
}
