/** Where faults of our own end: one diagnostic for each kind, never in the host. */
import { diag } from '@opentelemetry/api';
import { PACKAGE_NAME } from '../version.js';
import { registered } from './api-global.js';

const logger = diag.createComponentLogger({ namespace: PACKAGE_NAME });

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
  | 'looking up a provider failed';

const reported = new Set<FaultKind>();

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
 * Reports a fault, the first of its kind only. Says no more of the error than its class: what a hostile
 * lease or a hook throws may carry the host's data.
 */
export function reportFault(kind: FaultKind, error: unknown): void {
  if (reported.has(kind) || !hasDiagLogger()) return;
  reported.add(kind);
  try {
    logger.warn(`${kind} (${classOf(error)}); the operation itself is not affected. Reported once.`);
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
  if (hasDiagLogger()) logger.warn(message);
  else process.emitWarning(message, { type: 'PaperclipInstrumentationWarning' });
}

/** For those who look into how things work; `false` where there is no logger that could take it. */
export function debug(message: string): boolean {
  if (!hasDiagLogger()) return false;
  logger.debug(message);
  return true;
}

function hasDiagLogger(): boolean {
  return Boolean(registered().diag);
}
