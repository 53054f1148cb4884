/**
 * The lifetime of an opened duplex channel: Paperclip's `CommandManagedDuplexChannel`
 * (`command-managed-runtime.ts` of `@paperclipai/adapter-utils`). Its methods are wrapped in place. A channel
 * has room for one listener of each kind, so none is added: the caller's are listened in on.
 */
import { isObject } from '../lease/subject.js';
import { disguise, type HostFunction } from '../operations/disguise.js';
import { findMethod, patchOwn, type WrapMethod } from '../operations/patch.js';
import { shared } from '../operations/shared.js';
import type { ChannelEnd, IoDirection } from '../semconv.js';
import { attempt } from '../signals/faults.js';
import { after } from './after.js';

/** Told of what happens on one channel. */
export interface ChannelObserver {
  onBytes(direction: IoDirection, count: number): void;
  /** Called once. */
  onEnd(end: ChannelEnd): void;
}

/**
 * Observes a channel until it ends.
 *
 * @param channel what an open returned
 * @param open called if the channel can be observed; returns who is told
 */
export function observeChannel(channel: unknown, open: () => ChannelObserver): void {
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
  const isObserved = patchOwn(
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

/** What never says that it ended would count as open for ever. */
function hasAnEnd(channel: object): boolean {
  return ['onExit', 'stop', 'close'].some((method) => findMethod(channel, method) !== undefined);
}

/** Registers the caller's listener, which is told about before it is called. */
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
