/** Metrics of one open duplex channel. */
import type { ChannelObserver } from '../duplex/channel.js';
import * as semconv from '../semconv.js';
import { closedProvider, known } from './attributes.js';
import { attempt } from './faults.js';
import type { Telemetry } from './telemetry.js';

/** Counts a channel as open, and returns who is told of its bytes and its end. */
export function countChannel(telemetry: Telemetry, providerKey: string | undefined): ChannelObserver {
  const opened = performance.now();
  const provider = known({
    [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: closedProvider(providerKey, telemetry.settings),
  });
  // The end is counted where the start was, even if the provider is replaced meanwhile.
  const active = telemetry.instruments()?.channelActive;
  active?.add(1, provider);
  return {
    onBytes(direction, count) {
      const attributes = { ...provider, [semconv.ATTR_NETWORK_IO_DIRECTION]: direction };
      telemetry.instruments()?.channelIo.add(count, attributes);
    },
    onEnd(end) {
      attempt('recording a metric failed', () => active?.add(-1, provider));
      const attributes = { ...provider, [semconv.ATTR_PAPERCLIP_DUPLEX_CHANNEL_END]: end };
      const duration = (performance.now() - opened) / 1000;
      telemetry.instruments()?.channelDuration.record(duration, attributes);
    },
  };
}
