/** Builds the metrics of duplex channels and recoveries as the tests expect them. */
import type { Attributes, Exported, Metric } from './harness.js';

const SCOPE = 'opentelemetry-instrumentation-paperclip';
const OPERATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const CHANNEL_BUCKETS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14400, 43200, 86400];

export const DAYTONA = { 'paperclip.environment.provider': 'daytona' };

/** `paperclip.duplex.requests`, one for each of these. */
export function requests(...points: Attributes[]): Metric {
  return counter('paperclip.duplex.requests', '{request}', ...points);
}

/** The point of a request that ended in a fallback. */
export function fallback(reason: string, others: Attributes = {}): Attributes {
  return {
    ...DAYTONA,
    'paperclip.duplex.outcome': 'fallback',
    'paperclip.duplex.fallback.reason': reason,
    ...others,
  };
}

export const OPENED = { ...DAYTONA, 'paperclip.duplex.outcome': 'opened' };

/** Both metrics of one re-acquire. */
export function reacquire(outcome: string): Metric[] {
  const attributes = { ...DAYTONA, 'paperclip.lease.reacquire.outcome': outcome };
  return [
    counter('paperclip.lease.reacquires', '{reacquire}', attributes),
    histogram('paperclip.lease.reacquire.duration', OPERATION_BUCKETS, attributes),
  ];
}

/** The metrics of one channel that has ended. */
export function channel(end: string, bytes: { transmit: number; receive: number }): Metric[] {
  const io = (direction: 'transmit' | 'receive') => ({
    attributes: { ...DAYTONA, 'network.io.direction': direction },
    value: bytes[direction],
  });
  return [
    histogram('paperclip.duplex.channel.duration', CHANNEL_BUCKETS, {
      ...DAYTONA,
      'paperclip.duplex.channel.end': end,
    }),
    metric('paperclip.duplex.channel.io', 'By', [io('receive'), io('transmit')]),
  ];
}

export function loss(lossClass: string, reason: string): Metric {
  return counter('paperclip.duplex.losses', '{loss}', {
    ...DAYTONA,
    'paperclip.duplex.loss.class': lossClass,
    'paperclip.duplex.loss.reason': reason,
  });
}

/** `paperclip.duplex.forward.duration` of one request. */
export function forward(outcome: string): Metric {
  const attributes = { ...DAYTONA, 'paperclip.duplex.forward.outcome': outcome };
  return histogram('paperclip.duplex.forward.duration', OPERATION_BUCKETS, attributes);
}

/** What the spans that recover say: which of them, from what, and to which span each links. */
export function recoveriesOf({ spans }: Exported) {
  return spans.flatMap(({ name, attributes, links }, position) => {
    const kind = attributes['paperclip.recovery.kind'];
    return kind === undefined && links.length === 0 ? [] : [{ position, name, kind, links }];
  });
}

function counter(name: string, unit: string, ...points: Attributes[]): Metric {
  return metric(
    name,
    unit,
    points.map((attributes) => ({ attributes, value: 1 })),
  );
}

function histogram(name: string, boundaries: number[], attributes: Attributes): Metric {
  return metric(name, 's', [{ attributes, count: 1, boundaries }]);
}

function metric(name: string, unit: string, points: unknown[]): Metric {
  return { scope: SCOPE, name, unit, points };
}
