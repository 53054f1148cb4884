/**
 * Opens a duplex channel and recovers the way the two error records say: falls back to one-shot `execute` where
 * the driver cannot open one, acquires a fresh lease once where the lease lacks metadata.
 */

import { attempt, warnOperator } from '../base/faults.js';
import { isObject } from '../base/values.js';
import { builtInCatalog, type ErrorCatalog } from '../errors/catalog.js';
import { classifyLeaseError } from '../errors/classify.js';
import { errorTypeOf } from '../errors/error-type.js';
import { hasDuplexLeaseIdentity, type LeaseLike, supportsPluginDuplexChannel } from '../lease/shape.js';
import { readLease } from '../lease/subject.js';
import type { RequestOutcome } from '../recovery/outcomes.js';
import {
  type ReacquireOutcome,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
  VALUE_OTHER,
} from '../semconv.js';
import { type RequestScope, reporter, shared } from '../shared.js';
import { withAbort } from './abort.js';
import { withCause } from './cause.js';

/** How to open a channel, and how to recover. `Lease`, `Channel` and `Result` are the host's own types. */
export interface OpenDuplexChannelOptions<Lease extends LeaseLike, Channel, Result> {
  /** The lease to open the channel on. */
  readonly lease: Lease;
  /** Opens a channel, for example `(lease) => driver.openDuplexChannel({ environment, lease, command })`. */
  readonly open: (lease: Lease) => Promise<Channel> | Channel;
  /** Does the work without a channel. Without it, an unsupported open is an error like any other. */
  readonly execute?: ((lease: Lease) => Promise<Result> | Result) | undefined;
  /** Acquires a fresh lease. Without it, missing metadata is an error like any other. */
  readonly acquire?: (() => Promise<Lease> | Lease) | undefined;
  /**
   * Ends the attempt before its next step, without waiting for a step that is running. A channel that opens later is
   * closed. A lease that is acquired later is not released: `acquire` has to do that.
   */
  readonly signal?: AbortSignal | undefined;
  /** Records to classify errors with. Default: the built-in ones. */
  readonly catalog?: ErrorCatalog | undefined;
}

/** How the work was done, and on which lease. */
export type OpenDuplexChannelResult<Lease, Channel, Result> =
  | { readonly via: 'channel'; readonly lease: Lease; readonly channel: Channel }
  | {
      readonly via: 'execute';
      readonly lease: Lease;
      readonly result: Result;
      /** Why there is no channel. Absent where the lease alone showed it and no open was tried. */
      readonly refusal?: unknown;
    };

/**
 * Opens a duplex channel on a lease, and recovers once from either error. Where the lease alone shows that the open would
 * fail and there is another way, the open is not tried. Counts one duplex request and at most one re-acquire.
 *
 * @param options how to open, and how to recover
 * @returns the channel, or the result of the fallback
 * @throws what `open` threw, unchanged, if it is not an error to recover from; what `execute`, `acquire` or the second
 *   `open` threw, with the first error as its `cause`; the signal's reason
 */
export async function openDuplexChannelWithRecovery<Lease extends LeaseLike, Channel, Result = never>(
  options: OpenDuplexChannelOptions<Lease, Channel, Result>,
): Promise<OpenDuplexChannelResult<Lease, Channel, Result>> {
  // Inside the scope, operations are steps of this request: they are linked, and not counted again.
  const scope = { isOver: false, steps: {} };
  return await shared.requestScopes.run(scope, async () => {
    try {
      return await new RecoveredOpen(options, scope.steps).run();
    } finally {
      scope.isOver = true;
    }
  });
}

/** The error that a recovery began with. None where the lease alone showed that the open would fail. */
type Refusal = { readonly error: unknown } | undefined;

class RecoveredOpen<Lease extends LeaseLike, Channel, Result> {
  readonly #catalog: ErrorCatalog;
  #isCounted = false;

  constructor(
    private readonly options: OpenDuplexChannelOptions<Lease, Channel, Result>,
    private readonly steps: NonNullable<RequestScope['steps']>,
  ) {
    this.#catalog = options.catalog ?? builtInCatalog;
  }

  async run(): Promise<OpenDuplexChannelResult<Lease, Channel, Result>> {
    const { lease } = this.options;
    try {
      const result = (await this.#recover(this.#expectedErrorOf(lease), lease)) ?? (await this.#open(lease));
      this.#count({ outcome: 'opened' });
      return result;
    } catch (error) {
      if (this.#isAbort(error)) this.#count({ outcome: 'cancelled' });
      else this.#count({ outcome: 'failed', errorType: this.#errorTypeOf(error) });
      throw error;
    }
  }

  /** The kind of error that the driver would answer with, if the lease shows that. */
  #expectedErrorOf(lease: Lease): string | undefined {
    return attempt('reading an operation failed', () => {
      if (!supportsPluginDuplexChannel(lease)) return TAG_UNSUPPORTED_DRIVER_OPERATION;
      return hasDuplexLeaseIdentity(lease) ? undefined : TAG_MISSING_METADATA_FIELD;
    });
  }

  async #open(lease: Lease): Promise<OpenDuplexChannelResult<Lease, Channel, Result>> {
    try {
      return await this.#openOn(lease);
    } catch (error) {
      const recovered = await this.#recover(this.#tagOf(error), lease, { error });
      if (recovered === undefined) throw error;
      return recovered;
    }
  }

  async #openOn(lease: Lease): Promise<OpenDuplexChannelResult<Lease, Channel, Result>> {
    const channel = await this.#step(() => this.options.open(lease), closeChannel);
    return { via: 'channel', lease, channel };
  }

  /** Recovers from an error of this kind. Returns nothing where the caller gave no way to. */
  async #recover(
    tag: string | undefined,
    lease: Lease,
    refusal?: Refusal,
  ): Promise<OpenDuplexChannelResult<Lease, Channel, Result> | undefined> {
    const { execute, acquire } = this.options;
    if (tag === TAG_UNSUPPORTED_DRIVER_OPERATION && execute)
      return await this.#fallBack(execute, lease, refusal);
    if (tag === TAG_MISSING_METADATA_FIELD && acquire) return await this.#reacquire(acquire, refusal);
    return undefined;
  }

  async #fallBack(
    execute: (lease: Lease) => Promise<Result> | Result,
    lease: Lease,
    refusal: Refusal,
  ): Promise<OpenDuplexChannelResult<Lease, Channel, Result>> {
    this.options.signal?.throwIfAborted();
    const reason = TAG_UNSUPPORTED_DRIVER_OPERATION;
    this.#count({ outcome: 'fallback', reason, ...(refusal && { errorType: reason }) });
    this.steps.recoveryKind = 'fallback';
    const result = await this.#causedBy(refusal, () => this.#step(() => execute(lease)));
    return { via: 'execute', lease, result, ...(refusal && { refusal: refusal.error }) };
  }

  /** Acquires and tries once more. A second failure of the same kind is not recovered from. */
  async #reacquire(
    acquire: () => Promise<Lease> | Lease,
    refusal: Refusal,
  ): Promise<OpenDuplexChannelResult<Lease, Channel, Result>> {
    const since = attempt('recording a metric failed', () => performance.now()) ?? Number.NaN;
    // How it ends if the next step fails, and if the caller aborts it.
    let failed: ReacquireOutcome = 'acquire_failed';
    let aborted: ReacquireOutcome = 'not_attempted';
    try {
      this.options.signal?.throwIfAborted();
      this.steps.recoveryKind = 'reacquire';
      const lease = await this.#causedBy(refusal, () => this.#step(acquire));
      failed = 'operation_failed';
      aborted = 'not_retried';
      this.options.signal?.throwIfAborted();
      const retried = await this.#retry(lease, refusal, (tag) => {
        if (tag === TAG_MISSING_METADATA_FIELD) failed = 'still_incomplete';
        aborted = failed;
      });
      this.#reportReacquire(retried.via === 'channel' ? 'succeeded' : failed, since);
      return retried;
    } catch (error) {
      this.#reportReacquire(this.#isAbort(error) ? aborted : failed, since);
      throw error;
    }
  }

  async #retry(
    lease: Lease,
    refusal: Refusal,
    onFailure: (tag: string | undefined) => void,
  ): Promise<OpenDuplexChannelResult<Lease, Channel, Result>> {
    try {
      return await this.#openOn(lease);
    } catch (error) {
      if (this.#isAbort(error)) throw error;
      const tag = this.#tagOf(error);
      onFailure(tag);
      const recovered =
        tag === TAG_MISSING_METADATA_FIELD ? undefined : await this.#recover(tag, lease, { error });
      if (recovered !== undefined) return recovered;
      // Counted before the first error becomes its cause, or it would be classified as that one.
      this.#count({ outcome: 'failed', errorType: this.#errorTypeOf(error) });
      throw this.#causedError(error, refusal);
    }
  }

  async #causedBy<T>(refusal: Refusal, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#causedError(error, refusal);
    }
  }

  /** The signal's reason stays as it is: the first error did not cause it. */
  #causedError(error: unknown, refusal: Refusal): unknown {
    return this.#isAbort(error) ? error : withCause(error, refusal);
  }

  #isAbort(error: unknown): boolean {
    const { signal } = this.options;
    return signal?.aborted === true && error === signal.reason;
  }

  async #step<T>(work: () => Promise<T> | T, onLate?: (value: T) => void): Promise<T> {
    return await withAbort(work, this.options.signal, onLate);
  }

  #tagOf(error: unknown): string | undefined {
    const classify = () => classifyLeaseError(error, this.#catalog, undefined, warnOperator)?.backgroundTag;
    return attempt('classifying an error failed', classify);
  }

  #errorTypeOf(error: unknown): string {
    const name = () => errorTypeOf(error, this.#tagOf(error));
    return attempt('classifying an error failed', name) ?? VALUE_OTHER;
  }

  /** A request is counted once. A fallback is counted when it begins, whether or not it succeeds. */
  #count(outcome: Omit<RequestOutcome, 'provider'>): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    attempt('recording a metric failed', () =>
      reporter()?.onRequest({ provider: this.#provider(), ...outcome }),
    );
  }

  #reportReacquire(outcome: ReacquireOutcome, since: number): void {
    attempt('recording a metric failed', () => {
      const duration = performance.now() - since;
      reporter()?.onReacquire({ provider: this.#provider(), outcome, duration });
    });
  }

  #provider(): string | undefined {
    return readLease(this.options.lease)?.provider;
  }
}

/** Closes a channel that nobody waits for any more. */
async function closeChannel(channel: unknown): Promise<void> {
  try {
    if (isObject(channel) && typeof channel.close === 'function') await channel.close();
  } catch {
    // Nobody can be told: the attempt has ended with the signal's reason.
  }
}
