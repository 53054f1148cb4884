/** The metric instruments, made anew for each meter. */
import type { Histogram, Meter, UpDownCounter } from '@opentelemetry/api';
import {
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_DURATION,
  type MetricDefinition,
} from '../semconv.js';

export interface Instruments {
  readonly operationDuration: Histogram;
  readonly operationActive: UpDownCounter;
  readonly leaseDuration: Histogram;
}

const byMeter = new WeakMap<Meter, Instruments>();

/** The instruments of this meter, made at the first call. */
export function instrumentsOf(meter: Meter): Instruments {
  let instruments = byMeter.get(meter);
  if (instruments === undefined) {
    instruments = {
      operationDuration: histogram(meter, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION),
      operationActive: upDownCounter(meter, METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE),
      leaseDuration: histogram(meter, METRIC_PAPERCLIP_LEASE_DURATION),
    };
    byMeter.set(meter, instruments);
  }
  return instruments;
}

function histogram(meter: Meter, { name, unit, description, boundaries }: MetricDefinition): Histogram {
  const advice = boundaries === undefined ? {} : { advice: { explicitBucketBoundaries: [...boundaries] } };
  return meter.createHistogram(name, { unit, description, ...advice });
}

function upDownCounter(meter: Meter, { name, unit, description }: MetricDefinition): UpDownCounter {
  return meter.createUpDownCounter(name, { unit, description });
}
