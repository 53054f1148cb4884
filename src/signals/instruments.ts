/** The metric instruments, made anew for each meter. */
import type { Counter, Histogram, Meter, UpDownCounter } from '@opentelemetry/api';
import * as semconv from '../semconv.js';
import { ActiveCount } from './active.js';
import { drop } from './faults.js';

export interface Instruments {
  readonly operationDuration: Histogram;
  readonly operationActive: ActiveCount;
  readonly leaseDuration: Histogram;
  readonly duplexRequests: Counter;
  readonly reacquires: Counter;
  readonly reacquireDuration: Histogram;
  readonly channelActive: UpDownCounter;
  readonly channelDuration: Histogram;
  readonly channelIo: Counter;
  readonly losses: Counter;
  readonly sessionLeaks: Counter;
  readonly forwardDuration: Histogram;
}

/** Makes the instruments of a meter. */
export function createInstruments(meter: Meter): Instruments {
  const histogram = ({ name, boundaries, ...definition }: semconv.MetricDefinition) =>
    quietHistogram(
      meter.createHistogram(name, {
        ...describe(definition),
        ...(boundaries && { advice: { explicitBucketBoundaries: [...boundaries] } }),
      }),
    );
  const counter = ({ name, ...definition }: semconv.MetricDefinition) =>
    quietCounter(meter.createCounter(name, describe(definition)));
  const upDownCounter = ({ name, ...definition }: semconv.MetricDefinition) =>
    quietCounter(meter.createUpDownCounter(name, describe(definition)));
  return {
    operationDuration: histogram(semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION),
    operationActive: new ActiveCount(meter, semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE),
    leaseDuration: histogram(semconv.METRIC_PAPERCLIP_LEASE_DURATION),
    duplexRequests: counter(semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS),
    reacquires: counter(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRES),
    reacquireDuration: histogram(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION),
    channelActive: upDownCounter(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE),
    channelDuration: histogram(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION),
    channelIo: counter(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO),
    losses: counter(semconv.METRIC_PAPERCLIP_DUPLEX_LOSSES),
    sessionLeaks: counter(semconv.METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS),
    forwardDuration: histogram(semconv.METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION),
  };
}

function describe({ unit, description }: Pick<semconv.MetricDefinition, 'unit' | 'description'>) {
  return { unit, description };
}

const FAULT = 'recording a metric failed';

/** All are durations. One that no clock can have measured counts as none, for the SDK reports each. */
function quietHistogram(histogram: Histogram): Histogram {
  return {
    record(value, attributes, context) {
      const duration = Number.isFinite(value) && value > 0 ? value : 0;
      drop(FAULT, histogram.record(duration, attributes, context));
    },
  };
}

function quietCounter(counter: Counter | UpDownCounter): UpDownCounter {
  return { add: (value, attributes, context) => drop(FAULT, counter.add(value, attributes, context)) };
}
