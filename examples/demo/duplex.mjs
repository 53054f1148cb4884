// @ts-check
/**
 * Three ways of a host to work over a duplex channel: one call that recovers from what can be recovered from,
 * the same written by hand, and none. The instrumentation counts all three alike.
 */
import { classifyLeaseError, openDuplexChannelWithRecovery } from 'opentelemetry-instrumentation-paperclip';
import {
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { acquireFor, subjectOf } from './handlers.mjs';

/** @import { ChannelExit, DuplexChannel } from './duplex-channel.mjs' */
/** @import { Handler } from './handlers.mjs' */

/**
 * A lease that cannot carry a channel is not even tried: it is used without one, or replaced.
 *
 * @type {Handler}
 */
export async function duplex({ runtime, leases }, { id, body }) {
  const { environment, lease: held } = subjectOf(leases, id);
  const work = await openDuplexChannelWithRecovery({
    lease: held,
    open: (lease) => runtime.openDuplexChannel({ environment, lease, command: [body.command] }),
    execute: (lease) => runtime.execute({ environment, lease, command: body.command }),
    acquire: () => acquireFor(runtime, environment, held.heartbeatRunId),
  });
  return work.via === 'channel' ? await talk(work.channel, body.input) : work.result;
}

/**
 * What Paperclip's callers do: try, and look at the error. Nothing here tells the instrumentation that the
 * second operation recovers from the first; it sees that from what they are about.
 *
 * @type {Handler}
 */
export async function duplexByHand({ runtime, leases }, { id, body }) {
  const subject = subjectOf(leases, id);
  const command = [body.command];
  try {
    return await talk(await runtime.openDuplexChannel({ ...subject, command }), body.input);
  } catch (error) {
    switch (classifyLeaseError(error)?.backgroundTag) {
      case TAG_UNSUPPORTED_DRIVER_OPERATION:
        return await runtime.execute({ ...subject, command: body.command });
      case TAG_MISSING_METADATA_FIELD: {
        const { environment } = subject;
        const lease = await acquireFor(runtime, environment, subject.lease.heartbeatRunId);
        return await talk(await runtime.openDuplexChannel({ environment, lease, command }), body.input);
      }
      default:
        throw error;
    }
  }
}

/** @type {Handler} */
export async function duplexOnly({ runtime, leases }, { id, body }) {
  const input = { ...subjectOf(leases, id), command: [body.command] };
  return await talk(await runtime.openDuplexChannel(input), body.input);
}

/**
 * @param {DuplexChannel} channel
 * @param {string} input
 */
async function talk(channel, input) {
  const { output } = await ask(channel, input);
  await channel.close();
  return { output };
}

/**
 * Says something to the process at the other end, and waits for its answer or its end.
 *
 * @param {DuplexChannel} channel
 * @param {string} input
 * @returns {Promise<{ output: string, exit?: ChannelExit }>}
 */
export function ask(channel, input) {
  return new Promise((resolve) => {
    channel.onData((chunk) => resolve({ output: Buffer.from(chunk).toString() }));
    channel.onExit((exit) => resolve({ output: '', exit }));
    channel.write(Buffer.from(input));
  });
}
