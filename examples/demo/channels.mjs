// @ts-check
/** Duplex channels as the metrics tell of them, and the table that shows them. */
import {
  ATTR_NETWORK_IO_DIRECTION,
  ATTR_PAPERCLIP_DUPLEX_CHANNEL_END,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  CHANNEL_ENDS,
  IO_DIRECTIONS,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO,
} from 'opentelemetry-instrumentation-paperclip/semconv';
import { describe, entries, zeroes } from './counts.mjs';
import { bytesRow, channelRow } from './ledger.mjs';
import { byProvider, counterPoints, histogramPoints } from './points.mjs';
import { table } from './terminal.mjs';

/** @import { metrics } from '@opentelemetry/sdk-node' */
/** @import { ChannelEnd, IoDirection } from 'opentelemetry-instrumentation-paperclip/semconv' */
/** @import { Count } from './ledger.mjs' */

/**
 * @typedef {object} Channels of one provider
 * @property {string} provider
 * @property {number} open
 * @property {Record<ChannelEnd, number>} ended how many ended in which way
 * @property {Record<IoDirection, number>} bytes
 */

/**
 * @param {metrics.ResourceMetrics} collected
 * @returns {Channels[]} one for each provider
 */
export function readChannels(collected) {
  const channels = byProvider((provider) => ({
    provider,
    open: 0,
    ended: zeroes(CHANNEL_ENDS),
    bytes: zeroes(IO_DIRECTIONS),
  }));
  for (const { attributes, value } of counterPoints(collected, METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE)) {
    channels.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).open = value;
  }
  for (const { attributes, value } of histogramPoints(collected, METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION)) {
    /** @type {ChannelEnd} */
    const end = attributes[ATTR_PAPERCLIP_DUPLEX_CHANNEL_END];
    channels.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).ended[end] = value.count;
  }
  for (const { attributes, value } of counterPoints(collected, METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO)) {
    /** @type {IoDirection} */
    const direction = attributes[ATTR_NETWORK_IO_DIRECTION];
    channels.of(attributes[ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]).bytes[direction] = value;
  }
  return channels.sorted();
}

/**
 * @param {readonly Channels[]} channels
 * @returns {{ ended: Count[], bytes: Count[] }} what the table tells of channels that ended, as rows of the ledger
 */
export function channelCounts(channels) {
  return {
    ended: channels.flatMap(({ provider, ended }) =>
      entries(ended).map(([end, count]) => [channelRow(provider, end), count]),
    ),
    bytes: channels.flatMap(({ provider, bytes }) =>
      entries(bytes).map(([direction, count]) => [bytesRow(provider, direction), count]),
    ),
  };
}

/**
 * @param {readonly Channels[]} channels
 * @returns {string[]} the lines of the table
 */
export function channelsTable(channels) {
  return table(
    [
      { title: 'provider' },
      { title: 'still open', align: 'right' },
      { title: 'ended' },
      { title: 'bytes to the sandbox', align: 'right' },
      { title: 'bytes from it', align: 'right' },
    ],
    channels.map(({ provider, open, ended, bytes }) => [
      provider,
      String(open),
      describe(ended),
      String(bytes.transmit),
      String(bytes.receive),
    ]),
  );
}
