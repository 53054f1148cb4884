/** Metrics of one open duplex channel. */
import * as semconv from '../semconv.js';
import { shared } from '../shared.js';
import { seriesOf } from './active.js';
import { closedProvider, known } from './attributes.js';
import type { Telemetry } from './telemetry.js';

/** Is told what happens on one channel. */
export interface ChannelObserver {
  onBytes(direction: semconv.IoDirection, count: number): void;
  /** Called once. */
  onEnd(end: semconv.ChannelEnd): void;
}

/** Counts a channel as open. */
export function countChannel(telemetry: Telemetry, providerKey: string | undefined): ChannelObserver {
  const opened = performance.now();
  const provider = known({
    [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: closedProvider(providerKey, telemetry.settings),
  });
  const key = provider[semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER] as string | undefined;
  const active = seriesOf(shared.running.channels, key, undefined, () => provider);
  active.count += 1;
  telemetry.instruments()?.channelActive.show(active);
  return {
    onBytes(direction, count) {
      const attributes = { ...provider, [semconv.ATTR_NETWORK_IO_DIRECTION]: direction };
      telemetry.instruments()?.channelIo.add(count, attributes);
    },
    onEnd(end) {
      active.count -= 1;
      const attributes = { ...provider, [semconv.ATTR_PAPERCLIP_DUPLEX_CHANNEL_END]: end };
      const duration = (performance.now() - opened) / 1000;
      telemetry.instruments()?.channelDuration.record(duration, attributes);
    },
  };
}
