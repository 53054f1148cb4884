/** Handles our own faults: one diagnostic for each kind, and nothing reaches the host. */
import { diag } from '@opentelemetry/api';
import { PACKAGE_NAME } from '../version.js';
import { hasDiagLogger } from './api.js';
import { printable } from './text.js';
import { isObject } from './values.js';

/** The part of our work that failed. A closed set, so that the number of diagnostics is bounded. */
export type FaultKind =
  | 'reading an operation failed'
  | 'starting a span failed'
  | 'activating a span failed'
  | 'classifying an error failed'
  | 'recording an exception failed'
  | 'recording a metric failed'
  | 'asking the table of leases failed'
  | 'the table of leases did not answer in time'
  | 'the database has no table of leases that can be asked'
  | 'following a recovery failed'
  | 'ending a span failed'
  | 'requestHook failed'
  | 'responseHook failed'
  | 'listening to the module loader failed'
  | 'patching a module failed'
  | 'wrapping a driver or service failed'
  | 'observing a duplex channel failed'
  | 'finding the parent span failed'
  | 'passing the context on failed'
  | 'looking up a provider failed'
  | 'adding a cause failed'
  | 'watching for Paperclip failed';

const reported = new Set<FaultKind>();

/** Does work of ours that can fail. A failure is reported, and the result is `undefined`. */
export function attempt<T>(kind: FaultKind, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    reportFault(kind, error);
    return undefined;
  }
}

/**
 * Reports the first fault of each kind. It names only the class of the error, because what a lease or a hook throws
 * may carry the host's data.
 */
export function reportFault(kind: FaultKind, error: unknown): void {
  if (reported.has(kind) || !hasDiagLogger()) return;
  reported.add(kind);
  log('warn', `${kind} (${classOf(error)}); the operation itself is not affected. Reported once.`);
}

function log(level: 'warn' | 'debug', message: string): void {
  try {
    diag.createComponentLogger({ namespace: PACKAGE_NAME })[level](message);
  } catch {
    // The host's logger throws, for example because its disk is full.
  }
}

function classOf(error: unknown): string {
  try {
    const name = error instanceof Error ? error.constructor.name : typeof error;
    return [name, sqlStateOf(error) ?? []].flat().join(' ');
  } catch {
    return 'unreadable error';
  }
}

/** The SQLSTATE of an error of PostgreSQL, also where drizzle has wrapped it. Throws only what reading the error throws. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!isObject(error)) return undefined;
  const { code } = isObject(error.cause) ? error.cause : error;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * Warns the operator of the configuration: through `diag`, or through Node.js where no logger is set yet.
 *
 * @param message may quote files and variables; their control characters are escaped
 */
export function warnOperator(message: string): void {
  const text = printable(message);
  if (hasDiagLogger()) log('warn', text);
  else process.emitWarning(text, { type: 'PaperclipInstrumentationWarning' });
}

/** @returns `false` where no logger is set that could take the message */
export function debug(message: string): boolean {
  if (!hasDiagLogger()) return false;
  log('debug', message);
  return true;
}
