// @ts-check
import { AggregationType, createDenyListAttributesProcessor } from '@opentelemetry/sdk-metrics';
import {
  ATTR_PAPERCLIP_LEASE_SHAPE,
  METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
} from 'opentelemetry-instrumentation-paperclip/semconv';

/** @type {import('@opentelemetry/sdk-metrics').ViewOptions[]} */
export const views = [
  {
    instrumentName: METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION.name,
    // 5 buckets instead of 16: 7 series of a point in Prometheus instead of 18.
    aggregation: {
      type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM,
      options: { boundaries: [0.1, 1, 10, 60] },
    },
    attributesProcessors: [createDenyListAttributesProcessor([ATTR_PAPERCLIP_LEASE_SHAPE])],
    // The SDK's own limit is 2000.
    aggregationCardinalityLimit: 5000,
  },
  {
    instrumentName: METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION.name,
    aggregation: { type: AggregationType.DROP },
  },
];
