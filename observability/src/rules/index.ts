/** Every alert, in the order in which an operator wants to read them. */
import {
  channelsLost,
  highFallbackRate,
  lowReacquireSuccess,
  missingMetadataAfterDeployment,
  mostReacquiresFail,
  unsupportedOperationsSpike,
} from './alerts.js';
import {
  acquiresFail,
  executeHangs,
  leasesStranded,
  leasesWaitForCleanup,
  operationHangs,
  pluginCallsTimeOut,
  teardownsFail,
} from './leases.js';
import type { AlertFactory } from './rule.js';
import { instrumentationSilent } from './silence.js';

export const ALERTS: readonly AlertFactory[] = [
  unsupportedOperationsSpike,
  highFallbackRate,
  mostReacquiresFail,
  lowReacquireSuccess,
  missingMetadataAfterDeployment,
  channelsLost,
  acquiresFail,
  teardownsFail,
  pluginCallsTimeOut,
  leasesWaitForCleanup,
  leasesStranded,
  operationHangs,
  executeHangs,
  instrumentationSilent,
];
