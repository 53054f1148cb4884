/** The alerts about what goes wrong. Each expression has series where there is something to say, and none where not. */
import {
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import {
  FALLBACK_RATE,
  LOSS_RATE,
  MISSING_METADATA_MIN_ERRORS,
  REACQUIRE_LOW,
  REACQUIRE_NOTABLE,
  REACQUIRE_OBJECTIVE,
  SPIKE_FACTOR,
  SPIKE_MIN_ERRORS,
  type Timing,
} from '../limits.js';
import { JOB } from '../names.js';
import { BY_DRIVER, duration, words as inWords, wordsWithArticle } from '../promql.js';
import { failures } from '../quantities.js';
import { recordedEvents } from './events.js';
import { FALLBACKS, LOSSES, REACQUIRES } from './measures.js';
import { deployment, missingMetadata, moreThanUsual, unsupportedOperations } from './recordings.js';
import type { Alert, LookUp, Words } from './rule.js';
import { counted, exceeds, mostFrequent } from './shares.js';

const driver = (words: Words) => words.label(ATTR_PAPERCLIP_ENVIRONMENT_DRIVER, 'unknown');
const provider = (words: Words) => words.label(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, 'none');
const service = (words: Words) => words.label(JOB, 'unknown');

/** The operation that fails most often in one way. */
function mostRefused(errorType: string, seconds: number, timing: Timing): LookUp {
  const by = [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME];
  const count = recordedEvents(seconds, timing);
  return {
    labels: BY_DRIVER,
    expr: (matchers) =>
      `topk(1, ${failures(errorType, { window: duration(seconds), by, matchers }, count)} > 0)`,
  };
}

export function unsupportedOperationsSpike(timing: Timing): Alert {
  const { spike, usual, hold } = timing;
  return {
    name: 'PaperclipUnsupportedOperationsSpike',
    severity: 'warning',
    hold: hold.short,
    expr: moreThanUsual(unsupportedOperations(timing), SPIKE_MIN_ERRORS, spike.window, timing),
    summary: (words) =>
      `Many more operations of ${service(words)} than usual are refused as unsupported (driver ${driver(words)}, provider ${provider(words)})`,
    description: (words) =>
      `${words.value('count')} operations of ${service(words)} were refused as unsupported by their driver in ${wordsWithArticle(spike.window)}, more than ${SPIKE_FACTOR} times as many as on average in the last ${inWords(usual.past)} and as at this time ${wordsWithArticle(usual.week)} ago. Agents keep working, but fall back to one-shot commands.${words.most(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, 'Most often refused:', mostRefused(TAG_UNSUPPORTED_DRIVER_OPERATION, spike.window, timing))}`,
    runbook: 'unsupported-operations-spike',
    panel: {
      dashboard: 'paperclip-overview',
      title: 'Unsupported operations by driver, provider and shape',
    },
  };
}

export function highFallbackRate(timing: Timing): Alert {
  const requests = counted(FALLBACKS, FALLBACK_RATE.high, 'requests for a duplex channel', timing);
  return {
    name: 'PaperclipHighFallbackRate',
    severity: 'warning',
    hold: timing.hold.short,
    expr: exceeds(FALLBACKS, FALLBACK_RATE.high, timing),
    summary: (words) =>
      `${words.value('percentage')} of the requests of ${service(words)} for a duplex channel fall back (provider ${provider(words)})`,
    description: (words) =>
      `${words.counts(requests)} that ${service(words)} had of provider ${provider(words)} fell back to one-shot commands, not counting those that are not meant to have a channel. Agents work slower and without streaming.${words.most(ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON, 'Most often the reason is', mostFrequent(ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON, FALLBACKS, timing))}`,
    runbook: 'high-fallback-rate',
    panel: { dashboard: 'paperclip-overview', title: 'Fallback rate by provider' },
  };
}

function reacquiresFail(
  success: number,
  timing: Timing,
): Pick<Alert, 'hold' | 'expr' | 'description' | 'runbook' | 'panel'> {
  // Shares have few digits; what binary fractions add to them says nothing.
  const limit = Number((1 - success).toFixed(4));
  const reacquires = counted(REACQUIRES, limit, 're-acquires', timing);
  return {
    hold: timing.hold.short,
    expr: exceeds(REACQUIRES, limit, timing),
    description: (words) =>
      `${words.counts(reacquires)} of ${service(words)} with provider ${provider(words)} did not help. The objective is that ${REACQUIRE_OBJECTIVE * 100}% succeed. Agents whose lease lacks metadata get no channel, and their runs may fail.${words.most(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME, 'Most often the outcome is', mostFrequent(ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME, REACQUIRES, timing))}`,
    runbook: 'low-reacquire-success',
    panel: { dashboard: 'paperclip-recovery', title: 'Outcomes of re-acquires' },
  };
}

export function mostReacquiresFail(timing: Timing): Alert {
  return {
    name: 'PaperclipReacquiresFail',
    severity: 'critical',
    ...reacquiresFail(REACQUIRE_LOW, timing),
    summary: (words) =>
      `Fresh leases hardly ever cure leases of ${service(words)} without metadata (provider ${provider(words)})`,
  };
}

export function lowReacquireSuccess(timing: Timing): Alert {
  return {
    name: 'PaperclipLowReacquireSuccess',
    severity: 'warning',
    ...reacquiresFail(REACQUIRE_NOTABLE, timing),
    summary: (words) =>
      `Fresh leases too often do not cure leases of ${service(words)} without metadata (provider ${provider(words)})`,
  };
}

export function missingMetadataAfterDeployment(timing: Timing): Alert {
  const { metadata, hold } = timing;
  const many = moreThanUsual(missingMetadata(timing), MISSING_METADATA_MIN_ERRORS, metadata.window, timing);
  return {
    name: 'PaperclipMissingMetadataAfterDeployment',
    severity: 'warning',
    hold: hold.short,
    expr: `${many} and on (${JOB}) ${deployment(timing).record}`,
    summary: (words) =>
      `Leases of ${service(words)} lack metadata since a deployment (driver ${driver(words)}, provider ${provider(words)})`,
    description: (words) =>
      `${service(words)} was deployed or restarted in the last ${inWords(metadata.deployment)}, and ${words.value('count')} of its operations failed in ${wordsWithArticle(metadata.window)} because their lease lacks metadata, more than before. Typically the server and the provider's plug-in no longer fit together. Runs of agents are tried again on a fresh lease, or fail.${words.most(ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME, 'Most often it is the operation', mostRefused(TAG_MISSING_METADATA_FIELD, metadata.window, timing))}`,
    runbook: 'missing-metadata-after-deployment',
    panel: {
      dashboard: 'paperclip-overview',
      title: 'Operations that lacked metadata by driver, provider and shape',
    },
  };
}

export function channelsLost(timing: Timing): Alert {
  const channels = counted(LOSSES, LOSS_RATE, 'duplex channels', timing);
  return {
    name: 'PaperclipDuplexChannelsLost',
    severity: 'warning',
    hold: timing.hold.short,
    expr: exceeds(LOSSES, LOSS_RATE, timing),
    summary: (words) =>
      `Duplex channels of ${service(words)} break while agents use them (provider ${provider(words)})`,
    description: (words) =>
      `${words.counts(channels)} that ${service(words)} had with provider ${provider(words)} broke before their run had ended. What was under way on them is lost or done again.${words.most(ATTR_PAPERCLIP_DUPLEX_LOSS_REASON, 'Most often the reason is', mostFrequent(ATTR_PAPERCLIP_DUPLEX_LOSS_REASON, LOSSES, timing))}`,
    runbook: 'duplex-channels-lost',
    panel: { dashboard: 'paperclip-recovery', title: 'Channel losses by class and reason' },
  };
}
