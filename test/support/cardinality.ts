/** How many points each metric can have, and how many it has. */
import type { MetricReader } from '@opentelemetry/sdk-metrics';
import { expect } from 'vitest';
import * as semconv from '../../src/semconv.js';

/** Every metric that the package emits. */
export const METRICS: readonly semconv.MetricDefinition[] = Object.entries(semconv)
  .filter(([name]) => name.startsWith('METRIC_'))
  .map(([, metric]) => metric as semconv.MetricDefinition);

/** Sizes of the sets that are closed only once the process has its configuration. */
export interface Sizes {
  /** Values of the provider: the known ones, those of the option `providers`, `_OTHER`, and none. */
  readonly providers: number;
  /** Values of `error.type` of what is thrown: the tags of the catalog, `_OTHER`, and every other name that errors have. */
  readonly errorTypes: number;
}

/** Without options, and with no errors but classified and nameless ones. */
export const DEFAULT_SIZES: Sizes = { providers: semconv.PROVIDERS.length + 2, errorTypes: 3 };

/** The most points that each metric can have, by its name; `docs/semantic-conventions.md`, "Cardinality". */
export function boundsOf({ providers, errorTypes }: Sizes): Record<string, number> {
  const drivers = closedOrNone(semconv.DRIVERS) + 1;
  const withoutProvider = semconv.DRIVERS_WITHOUT_PROVIDER.length;
  const withProvider = drivers - withoutProvider;
  const outcomes = 1 + errorTypes;
  // A complete lease names its provider. One that cannot be read has no shape.
  const leases = semconv.LEASE_SHAPES.length * providers - 1 + providers;
  const leasesWithoutProvider = semconv.LEASE_SHAPES.length + 1;
  // A release of all leases is about none; an acquire has no lease yet, and says how it succeeded.
  const onLease = semconv.OPERATION_NAMES.length - 2;
  const acquired = closedOrNone(semconv.ACQUISITION_OUTCOMES) + 1;
  // Three teardowns return that a sandbox may be left, and an execute that it ran out of time.
  const outcomesOnLease = onLease * outcomes + 4;
  const operations =
    outcomes +
    withProvider * (providers * (acquired + errorTypes) + leases * outcomesOnLease) +
    withoutProvider * (acquired + errorTypes + leasesWithoutProvider * outcomesOnLease);
  const driversAndProviders = withProvider * providers + withoutProvider;

  // Paperclip reports a reason with the error of the open, if there was one. A fallback that it does not report
  // has the error as its reason, or is one that the lease alone called for. `_OTHER` for both is possible twice.
  const reported = (semconv.FALLBACK_REASONS.length + 1) * outcomes;
  const requests = 1 + 1 + errorTypes + reported + (errorTypes - 1) + 1;

  // The table tells the driver by the provider: that of the driver `plugin` is none of the known ones.
  const heldLeases =
    semconv.HELD_LEASE_STATUSES.length *
    (semconv.LEASE_POLICIES.length + 1) *
    (providers + withoutProvider + 1) *
    (semconv.LEASE_RUNS.length + 1);

  const bounds = {
    [semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION.name]: operations,
    [semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE.name]: 1 + (onLease + 1) * drivers,
    [semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST.name]: 1 + (onLease + 1) * driversAndProviders,
    [semconv.METRIC_PAPERCLIP_LEASE_DURATION.name]: driversAndProviders * semconv.LEASE_ENDS.length,
    [semconv.METRIC_PAPERCLIP_LEASE_HELD.name]: heldLeases,
    [semconv.METRIC_PAPERCLIP_LEASE_OLDEST.name]: heldLeases,
    [semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS.name]: providers * requests,
    [semconv.METRIC_PAPERCLIP_LEASE_REACQUIRES.name]: providers * semconv.REACQUIRE_OUTCOMES.length,
    [semconv.METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION.name]: providers * semconv.REACQUIRE_OUTCOMES.length,
    [semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE.name]: providers,
    [semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION.name]: providers * semconv.CHANNEL_ENDS.length,
    [semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO.name]: providers * semconv.IO_DIRECTIONS.length,
    [semconv.METRIC_PAPERCLIP_DUPLEX_LOSSES.name]:
      providers * (semconv.LOSS_CLASSES.length + 1) * (semconv.LOSS_REASONS.length + 1),
    [semconv.METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS.name]: providers,
    [semconv.METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION.name]:
      providers * (semconv.FORWARD_OUTCOMES.length + 1),
  };
  const names = METRICS.map(({ name }) => name);
  expect(Object.keys(bounds).sort(), 'add it to boundsOf (test/support/cardinality.ts)').toEqual(
    names.sort(),
  );
  return bounds;
}

/** Series in Prometheus of one point: a histogram's buckets, the one without an end, sum and count. */
export function prometheusSeriesOf({ boundaries }: semconv.MetricDefinition): number {
  return boundaries === undefined ? 1 : boundaries.length + 3;
}

/** How many points each metric has now, by its name. */
export async function pointsOf(reader: MetricReader): Promise<Record<string, number>> {
  const { resourceMetrics } = await reader.collect();
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  return Object.fromEntries(
    metrics
      .filter(({ dataPoints }) => dataPoints.length > 0)
      .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints.length]),
  );
}

function closedOrNone(set: readonly string[]): number {
  return set.length + 1;
}
