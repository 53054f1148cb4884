/** Duplex channels: each is a process, whose stdin and stdout are what is written to and read from the channel. */
import { randomUUID } from 'node:crypto';
import { decodeChannelBytes } from '@paperclipai/plugin-sdk';
import { killGroup, start } from './commands.js';

/**
 * By the host's id of the route, until the host closes it: that of one whose process has ended must be acknowledged
 * too, with both ids, or the host kills the worker.
 *
 * @type {Map<string, { workerSessionId: string, child: import('node:child_process').ChildProcess }>}
 */
const channels = new Map();

/**
 * Opens a channel and passes on what its process prints, and its end.
 *
 * @param {import('@paperclipai/plugin-sdk').PluginDuplexChannelClient} host
 */
export function openChannel({ hostRouteId, command: [program, ...args] }, workspace, host) {
  const workerSessionId = randomUUID();
  const child = start(program, args, workspace);
  channels.set(hostRouteId, { workerSessionId, child });
  child.stdout.on('data', (bytes) => host.data(hostRouteId, workerSessionId, bytes));
  child.stderr.resume();
  child.stdin.on('error', () => {}); // Its end is told below.
  child.on('error', () => host.exit(hostRouteId, workerSessionId, null, true));
  child.on('close', (code) => host.exit(hostRouteId, workerSessionId, code));
  return { hostRouteId, workerSessionId };
}

/** Writes to the process, and waits where it does not keep up. */
export async function writeToChannel({ hostRouteId, workerSessionId, data }) {
  const child = channelOf(hostRouteId, workerSessionId);
  const bytes = decodeChannelBytes(data);
  if (bytes === null) throw new Error('Not the bytes of a channel');
  if (!child.stdin.write(bytes)) await new Promise((resolve) => child.stdin.once('drain', resolve));
}

/** Ends the process; its end is told as any other. */
export function stopChannel({ hostRouteId, workerSessionId }) {
  killGroup(channelOf(hostRouteId, workerSessionId));
}

/** Lets go of a channel, whether or not its process still runs. */
export function closeChannel({ hostRouteId }) {
  const channel = channels.get(hostRouteId);
  if (channel === undefined) return { hostRouteId };
  channels.delete(hostRouteId);
  killGroup(channel.child);
  return { hostRouteId, workerSessionId: channel.workerSessionId };
}

/** Ends every channel. */
export function closeAllChannels() {
  for (const { child } of channels.values()) killGroup(child);
}

function channelOf(hostRouteId, workerSessionId) {
  const channel = channels.get(hostRouteId);
  if (channel?.workerSessionId !== workerSessionId) throw new Error('No such channel');
  return channel.child;
}
