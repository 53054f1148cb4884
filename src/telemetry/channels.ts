/** Metrics of one open duplex channel. */

import { attempt } from '../base/faults.js';
import * as semconv from '../semconv.js';
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
