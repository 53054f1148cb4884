/**
 * The lifetime of an opened duplex channel: Paperclip's `CommandManagedDuplexChannel`
 * (`command-managed-runtime.ts` of `@paperclipai/adapter-utils`). Its methods are wrapped in place. A channel
 * takes one listener of each kind, so no listener is added: the caller's listeners are wrapped.
 */

import { attempt } from '../base/faults.js';
import { type HostFunction, isObject } from '../base/values.js';
import type { ChannelEnd, IoDirection } from '../semconv.js';
import { shared } from '../shared.js';
import type { ChannelObserver } from '../telemetry/channels.js';
import { disguise } from '../wrap/disguise.js';
import { findMethod, patchInPlace, type WrapMethod } from '../wrap/patch.js';
import { after } from './after.js';

/**
 * Observes a channel until it ends.
 *
 * @param channel what an open returned
 * @param open called if the channel can be observed; returns the observer of what happens
 */
export function observeChannel(channel: unknown, open: () => ChannelObserver): void {
  attempt('observing a duplex channel failed', () => observe(channel, open));
}

function observe(channel: unknown, open: () => ChannelObserver): void {
  if (!isObject(channel) || shared.observed.has(channel) || !hasAnEnd(channel)) return;
  const observer: { current?: ChannelObserver } = {};
  let hasEnded = false;
  const end = (how: ChannelEnd) => {
    if (hasEnded) return;
    hasEnded = true;
    observer.current?.onEnd(how);
  };
  const count = (direction: IoDirection) => (data: unknown) => {
    const bytes = byteLength(data);
    if (bytes > 0) observer.current?.onBytes(direction, bytes);
  };
  const isObserved = patchInPlace(
    channel,
    new Map<PropertyKey, WrapMethod>([
      ['write', after(([data]) => count('transmit')(data))],
      ['onData', (original) => listeningIn(original, count('receive'))],
      ['onExit', (original) => listeningIn(original, (exit) => end(endOf(exit)))],
      ['stop', after(() => end('stopped'))],
      ['close', after(() => end('closed'))],
    ]),
  );
  if (!isObserved) return;
  shared.observed.add(channel);
  observer.current = open();
}

/** A channel that never says that it ended would count as open for ever. */
function hasAnEnd(channel: object): boolean {
  return ['onExit', 'stop', 'close'].some((method) => findMethod(channel, method) !== undefined);
}

/** Registers the caller's listener. `tell` is called before it, with the same argument. */
function listeningIn(register: HostFunction, tell: (argument: unknown) => void): HostFunction {
  return disguise(register, (self, args) => {
    const [listener, ...others] = args;
    if (typeof listener !== 'function') return Reflect.apply(register, self, args);
    const heard = disguise(listener as HostFunction, (listenerSelf, heardArgs) => {
      attempt('observing a duplex channel failed', () => tell(heardArgs[0]));
      return Reflect.apply(listener, listenerSelf, heardArgs);
    });
    return Reflect.apply(register, self, [heard, ...others]);
  });
}

/** `transportClosed` tells a lost transport from an exit of the process. */
function endOf(exit: unknown): ChannelEnd {
  return isObject(exit) && exit.transportClosed === true ? 'transport_closed' : 'exit';
}

function byteLength(data: unknown): number {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return isObject(data) && typeof data.byteLength === 'number' ? data.byteLength : 0;
}
