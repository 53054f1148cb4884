// @ts-check
/** Finds the points of a metric in what was collected for Prometheus, and gathers them by provider. */
import { exportedName } from './telemetry.mjs';

/** @import { metrics } from '@opentelemetry/sdk-node' */
/** @import { MetricDefinition } from 'opentelemetry-instrumentation-paperclip/semconv' */

/**
 * @template Value
 * @typedef {{ attributes: Record<string, any>, value: Value }} Point
 */

/**
 * @param {metrics.ResourceMetrics} collected
 * @param {MetricDefinition} metric
 * @returns {Point<number>[]}
 */
export function counterPoints(collected, metric) {
  return /** @type {Point<number>[]} */ (pointsOf(collected, metric));
}

/**
 * @param {metrics.ResourceMetrics} collected
 * @param {MetricDefinition} metric
 * @returns {Point<metrics.Histogram>[]}
 */
export function histogramPoints(collected, metric) {
  return /** @type {Point<metrics.Histogram>[]} */ (pointsOf(collected, metric));
}

/**
 * @param {metrics.ResourceMetrics} collected
 * @param {MetricDefinition} metric
 * @returns {Point<unknown>[]}
 */
function pointsOf({ scopeMetrics }, metric) {
  return scopeMetrics
    .flatMap((scope) => scope.metrics)
    .filter(({ descriptor }) => descriptor.name === exportedName(metric))
    .flatMap(({ dataPoints }) => /** @type {Point<unknown>[]} */ (dataPoints));
}

/**
 * @template {{ provider: string }} Row
 * @param {(provider: string) => Row} create makes the row of a provider that has none yet
 */
export function byProvider(create) {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  return {
    /** @param {string} [provider] */
    of(provider = '-') {
      const row = rows.get(provider) ?? create(provider);
      rows.set(provider, row);
      return row;
    },
    sorted: () => [...rows.values()].sort((a, b) => a.provider.localeCompare(b.provider)),
  };
}
