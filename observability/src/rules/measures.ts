/** The shares of failures that alerts watch. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ERROR_TYPE_PLUGIN_TIMEOUT,
} from '../../../src/semconv.js';
import { JOB } from '../names.js';
import { BY_DRIVER } from '../promql.js';
import {
  acquires,
  attempts,
  channels,
  endedChannels,
  failedAttempts,
  failures,
  fallbacks,
  HAS_FAILED,
  losses,
  operations,
  requests,
  teardowns,
} from '../quantities.js';
import type { Share } from './shares.js';

/** What alerts about metrics without a driver are for. */
export const BY_PROVIDER: readonly string[] = [JOB, ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER];

const failed = (attempts: string) => ({
  attempts,
  failures: `failed_${attempts}`,
  share: `failed_${attempts}`,
});

export const FALLBACKS: Share = {
  level: 'job_provider',
  names: { attempts: 'duplex_requests', failures: 'duplex_fallbacks', share: 'duplex_fallback_rate' },
  countAttempts: requests,
  countFailures: fallbacks,
  by: BY_PROVIDER,
  byFailure: [],
};

export const REACQUIRES: Share = {
  level: 'job_provider',
  names: {
    attempts: 'lease_reacquire_attempts',
    failures: 'lease_reacquire_failures',
    share: 'lease_reacquire_failure_rate',
  },
  countAttempts: attempts,
  countFailures: failedAttempts,
  by: BY_PROVIDER,
  byFailure: [],
};

/** Channels that broke, of those that ended and those that are open: a channel may live for hours. */
export const LOSSES: Share = {
  level: 'job_provider',
  names: { attempts: 'duplex_channels', failures: 'duplex_losses', share: 'duplex_loss_rate' },
  countAttempts: channels,
  countFailures: losses,
  countSettled: endedChannels,
  by: BY_PROVIDER,
  byFailure: [],
};

export const ACQUIRES: Share = {
  level: 'job_driver_provider',
  names: failed('acquires'),
  countAttempts: acquires,
  countFailures: (scope, count) => acquires({ ...scope, matchers: [HAS_FAILED] }, count),
  by: BY_DRIVER,
  byFailure: [ATTR_ERROR_TYPE],
};

export const TEARDOWNS: Share = {
  ...ACQUIRES,
  names: failed('teardowns'),
  countAttempts: teardowns,
  countFailures: (scope, count) => teardowns({ ...scope, matchers: [HAS_FAILED] }, count),
};

/** Calls of plug-ins, by operation: an operation that always times out is a small part of all. */
export const PLUGIN_CALLS: Share = {
  level: 'job_operation_driver_provider',
  names: failed('operations'),
  countAttempts: operations,
  countFailures: (scope, count) => failures(ERROR_TYPE_PLUGIN_TIMEOUT, scope, count),
  by: [JOB, ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, ...BY_DRIVER.slice(1)],
  byFailure: [],
};
