/** The metric instruments, made anew for each meter. */
import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import * as semconv from '../semconv.js';
import { shared } from '../shared.js';
import { ActiveCount } from './active.js';

export interface Instruments {
  readonly operationDuration: Histogram;
  readonly operationActive: ActiveCount;
  readonly leaseDuration: Histogram;
  readonly duplexRequests: Counter;
  readonly reacquires: Counter;
  readonly reacquireDuration: Histogram;
  readonly channelActive: ActiveCount;
  readonly channelDuration: Histogram;
  readonly channelIo: Counter;
  readonly losses: Counter;
  readonly sessionLeaks: Counter;
  readonly forwardDuration: Histogram;
}

/** Makes the instruments of a meter. */
export function createInstruments(meter: Meter): Instruments {
  const histogram = ({ name, unit, description, boundaries }: semconv.MetricDefinition) =>
    meter.createHistogram(name, {
      unit,
      description,
      ...(boundaries && { advice: { explicitBucketBoundaries: [...boundaries] } }),
    });
  const counter = ({ name, unit, description }: semconv.MetricDefinition) =>
    meter.createCounter(name, { unit, description });
  const { operations, channels } = shared.running;
  return {
    operationDuration: histogram(semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION),
    operationActive: new ActiveCount(
      meter,
      semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE,
      operations,
    ),
    leaseDuration: histogram(semconv.METRIC_PAPERCLIP_LEASE_DURATION),
    duplexRequests: counter(semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS),
    reacquires: counter(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRES),
    reacquireDuration: histogram(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION),
    channelActive: new ActiveCount(meter, semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, channels),
    channelDuration: histogram(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION),
    channelIo: counter(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO),
    losses: counter(semconv.METRIC_PAPERCLIP_DUPLEX_LOSSES),
    sessionLeaks: counter(semconv.METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS),
    forwardDuration: histogram(semconv.METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION),
  };
}
