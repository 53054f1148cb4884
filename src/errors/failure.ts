/** What is recorded of a failure: how it is counted, what it was recognised as, and what may be shown of it. */
import type { LeaseShape } from '../semconv.js';
import type { ErrorCatalog } from './catalog.js';
import { classifyLeaseError } from './classify.js';
import { classNameOf, errorTypeOf } from './error-type.js';

/** A failure as the telemetry shows it. */
export interface Failure {
  readonly errorType: string;
  readonly backgroundTag?: string | undefined;
  readonly slug?: string | undefined;
  /** The message of the catalog record, where that fixes it. */
  readonly fixedMessage?: string | undefined;
  /** What was thrown; absent where the operation returned its failure. */
  readonly exception?: Exception | undefined;
}

/** As much of an error as is shown. */
export interface Exception {
  readonly type: string;
  readonly message?: string | undefined;
  readonly stacktrace?: string | undefined;
}

/**
 * @param error anything that was thrown
 * @param catalog the records to match it with
 * @param full whether message and stack are shown also where no record fixes the message
 * @param shape shape of the lease that the operation had
 * @param warn told of a record whose pattern takes too long
 * @throws only what reading the error throws
 */
export function describeFailure(
  error: unknown,
  catalog: ErrorCatalog,
  full: boolean,
  shape?: LeaseShape,
  warn?: (message: string) => void,
): Failure {
  const classification = classifyLeaseError(error, catalog, shape, warn);
  const type = classNameOf(error) ?? typeof error;
  const fixedMessage = classification?.fixedMessage;
  const ownMessage = classification?.error === error ? fixedMessage : undefined;
  return {
    errorType: errorTypeOf(error, classification?.backgroundTag),
    backgroundTag: classification?.backgroundTag,
    slug: classification?.slug,
    fixedMessage,
    exception: full
      ? { type, ...fullDetail(error) }
      : { type, message: ownMessage, stacktrace: stackWithoutText(error, type, ownMessage) },
  };
}

function fullDetail(error: unknown): { message?: string; stacktrace?: string } {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const message = 'message' in error && typeof error.message === 'string' ? { message: error.message } : {};
  const stack = 'stack' in error && typeof error.stack === 'string' ? { stacktrace: error.stack } : {};
  return { ...message, ...stack };
}

/**
 * The stack with its code locations only. Its text part is that of the moment when the error was made; where
 * that was another message than the fixed one, there is no telling what belongs to it, and no stack is shown.
 */
function stackWithoutText(
  error: unknown,
  type: string,
  fixedMessage: string | undefined,
): string | undefined {
  if (fixedMessage === undefined) return undefined;
  const stack = (error as { stack?: unknown }).stack;
  if (typeof stack !== 'string') return undefined;
  const end = stack.indexOf('\n');
  const first = end < 0 ? stack : stack.slice(0, end);
  if (!first.endsWith(fixedMessage)) return undefined;
  const text = `${type}: ${fixedMessage}`;
  if (first === text && hasOnlyFrames(stack, end)) return stack;
  const frames = stack
    .slice(first.length)
    .split('\n')
    .filter((line) => FRAME.test(line));
  return [text, ...frames].join('\n');
}

const FRAME = /^\s+at /;

/** Whether all lines are code locations as V8 writes them, from the line break at `next` on. */
function hasOnlyFrames(stack: string, next: number): boolean {
  for (let at = next; at >= 0; at = stack.indexOf('\n', at + 1)) {
    if (!stack.startsWith('    at ', at + 1)) return false;
  }
  return true;
}
