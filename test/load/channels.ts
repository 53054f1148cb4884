/** What agents do with an open channel, and how it ends. */
import * as semconv from '../../src/semconv.js';
import type { Agent } from './agent.js';
import type { Channel } from './host.js';
import type { Done } from './plan.js';

const ACTIVE = semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE.name;
const DURATION = semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION.name;
const IO = semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO.name;

/** The second way is how a channel is killed from the other side. */
const ENDS: readonly [semconv.ChannelEnd, (channel: Channel) => void][] = [
  ['exit', (channel) => channel.exit({ exitCode: 0 })],
  ['transport_closed', (channel) => channel.exit({ exitCode: null, transportClosed: true })],
  ['stopped', (channel) => channel.stop()],
  ['closed', (channel) => channel.close()],
];
const TEXTS = ['ping', 'größer', '', '{"id":1}'];

/** The end of a channel; one whose open was not recorded was never counted as open. */
export function ended(agent: Agent, { call }: Done, end: semconv.ChannelEnd): void {
  if (call === undefined) return;
  agent.count(ACTIVE, {}, -1);
  agent.count(DURATION, { [semconv.ATTR_PAPERCLIP_DUPLEX_CHANNEL_END]: end });
}

/** Talks over a channel that has just opened, until it ends. */
export async function use(agent: Agent, done: Done & { readonly channel: Channel }): Promise<void> {
  const { channel } = done;
  const moved = (direction: semconv.IoDirection, text: string) => {
    const bytes = new TextEncoder().encode(text).byteLength;
    const isCounted = done.call !== undefined && bytes > 0;
    if (isCounted) agent.count(IO, { [semconv.ATTR_NETWORK_IO_DIRECTION]: direction }, bytes);
  };
  channel.onData(() => {});
  channel.onExit(() => {});
  for (let messages = agent.random.below(4); messages > 0; messages -= 1) {
    const text = agent.random.pick(TEXTS);
    channel.write(text);
    moved('transmit', text);
    await agent.think();
    channel.data(text);
    moved('receive', text);
  }
  const [end, make] = agent.random.pick(ENDS);
  make(channel);
  ended(agent, done, end);
  // What is over does not end again.
  if (agent.random.chance(0.3)) channel.close();
}
