/** The alerts about what goes wrong. Each expression has series where there is something to say, and none where not. */
import {
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
} from '../../../src/semconv.js';
import {
  FALLBACK_MIN_REQUESTS,
  FALLBACK_RATE,
  LOSS_RATE,
  LOSSES_MIN,
  MISSING_METADATA_MIN_ERRORS,
  REACQUIRE_BURN,
  REACQUIRE_MIN_ATTEMPTS,
  REACQUIRE_OBJECTIVE,
  SPIKE_FACTOR,
  SPIKE_MIN_ERRORS,
  type Timing,
} from '../limits.js';
import { JOB } from '../names.js';
import { words as inWords, wordsWithArticle } from '../promql.js';
import {
  baseline,
  channelLosses,
  channelRequests,
  channelsOpened,
  deployment,
  fallbackRate,
  hasPast,
  missingMetadata,
  reacquireAttempts,
  reacquireFailureRate,
  unsupportedOperations,
} from './recordings.js';
import type { Alert, Recording, Reference, Words } from './rule.js';

const driver = (words: Words) => words.label(ATTR_PAPERCLIP_ENVIRONMENT_DRIVER, 'unknown');
const provider = (words: Words) => words.label(ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER, 'none');
const service = (words: Words) => words.label(JOB, 'unknown');

/**
 * Counts of at least a floor, and of more than is usual. Where a service has a past, what it never had before is usually 0;
 * where monitoring has only begun, nobody knows what is usual, and there is nothing.
 */
function moreThanUsual(
  count: Recording,
  floor: number,
  window: number,
  timing: Timing,
  refer: Reference,
): string {
  const now = refer(count);
  const usual = refer(baseline(count, window, timing, refer));
  const past = hasPast(count, window, timing, refer);
  return `${now} >= ${floor} unless ${now} <= ${SPIKE_FACTOR} * ${usual} and on (${JOB}) ${past}`;
}

export function unsupportedOperationsSpike(timing: Timing): Alert {
  const { spike, hold } = timing;
  return {
    name: 'PaperclipUnsupportedOperationsSpike',
    severity: 'warning',
    hold: hold.short,
    expr: (refer) =>
      moreThanUsual(unsupportedOperations(timing), SPIKE_MIN_ERRORS, spike.window, timing, refer),
    summary: (words) =>
      `Many more operations of ${service(words)} than usual are refused as unsupported (driver ${driver(words)}, provider ${provider(words)})`,
    description: (words) =>
      `${words.value('count')} operations of ${service(words)} were refused as unsupported by their driver in ${wordsWithArticle(spike.window)}, more than ${SPIKE_FACTOR} times the average of the last ${inWords(spike.past)}. Agents keep working, but fall back to one-shot commands.`,
    runbook: 'unsupported-operations-spike',
  };
}

export function highFallbackRate(timing: Timing): Alert {
  const { fallback, hold } = timing;
  return {
    name: 'PaperclipHighFallbackRate',
    severity: 'warning',
    hold: hold.long,
    expr: (refer) => {
      const rate = refer(fallbackRate(timing, refer));
      return `${rate} > ${FALLBACK_RATE.high} and ${refer(channelRequests(timing))} >= ${FALLBACK_MIN_REQUESTS}`;
    },
    summary: (words) =>
      `${words.value('percentage')} of the requests of ${service(words)} for a duplex channel fall back (provider ${provider(words)})`,
    description: (words) =>
      `Of the requests for a duplex channel that ${service(words)} had in ${wordsWithArticle(fallback.window)}, ${words.value('percentage')} fell back to one-shot commands, not counting those that are not meant to have a channel. Agents work slower and without streaming.`,
    runbook: 'high-fallback-rate',
  };
}

function lowReacquireSuccess(
  name: string,
  severity: Alert['severity'],
  { long, short }: Timing['reacquire']['fast'],
  burn: number,
  { hold }: Timing,
  summary: Alert['summary'],
): Alert {
  // Shares have few digits; what binary fractions add to them says nothing.
  const limit = Number((burn * (1 - REACQUIRE_OBJECTIVE)).toFixed(4));
  return {
    name,
    severity,
    hold: hold.short,
    expr: (refer) =>
      [
        `${refer(reacquireFailureRate(long, refer))} > ${limit}`,
        `${refer(reacquireFailureRate(short, refer))} > ${limit}`,
        `${refer(reacquireAttempts(long))} >= ${REACQUIRE_MIN_ATTEMPTS}`,
      ].join(' and '),
    summary,
    description: (words) =>
      `${words.value('percentage')} of the re-acquires of ${service(words)} in ${wordsWithArticle(long)} did not help, and in the last ${inWords(short)} they did not either. The objective is that ${REACQUIRE_OBJECTIVE * 100}% succeed. Agents whose lease lacks metadata get no channel, and their runs may fail.`,
    runbook: 'low-reacquire-success',
  };
}

export function lowReacquireSuccessFast(timing: Timing): Alert {
  const { fast } = timing.reacquire;
  return lowReacquireSuccess(
    'PaperclipLowReacquireSuccess',
    'critical',
    fast,
    REACQUIRE_BURN.fast,
    timing,
    (words) =>
      `Fresh leases hardly ever cure leases of ${service(words)} without metadata (provider ${provider(words)})`,
  );
}

export function lowReacquireSuccessSlow(timing: Timing): Alert {
  const { slow } = timing.reacquire;
  return lowReacquireSuccess(
    'PaperclipLowReacquireSuccessPersists',
    'warning',
    slow,
    REACQUIRE_BURN.slow,
    timing,
    (words) =>
      `Fresh leases have too often not cured leases of ${service(words)} without metadata for ${inWords(slow.long)} (provider ${provider(words)})`,
  );
}

export function missingMetadataAfterDeployment(timing: Timing): Alert {
  const { metadata, hold } = timing;
  return {
    name: 'PaperclipMissingMetadataAfterDeployment',
    severity: 'warning',
    hold: hold.short,
    expr: (refer) => {
      const count = missingMetadata(timing);
      const many = moreThanUsual(count, MISSING_METADATA_MIN_ERRORS, metadata.window, timing, refer);
      return `${many} and on (${JOB}) ${refer(deployment(timing))}`;
    },
    summary: (words) =>
      `Leases of ${service(words)} lack metadata since a deployment (driver ${driver(words)}, provider ${provider(words)})`,
    description: (words) =>
      `${service(words)} was deployed or restarted in the last ${inWords(metadata.deployment)}, and ${words.value('count')} of its operations failed in ${wordsWithArticle(metadata.window)} because their lease lacks metadata, more than before. Typically the server and the provider's plug-in no longer fit together.`,
    runbook: 'missing-metadata-after-deployment',
  };
}

export function channelsLost(timing: Timing): Alert {
  const { losses, hold } = timing;
  return {
    name: 'PaperclipDuplexChannelsLost',
    severity: 'warning',
    hold: hold.short,
    expr: (refer) => {
      const lost = refer(channelLosses(timing));
      return `${lost} >= ${LOSSES_MIN} unless ${lost} <= ${LOSS_RATE} * ${refer(channelsOpened(timing))}`;
    },
    summary: (words) =>
      `Duplex channels of ${service(words)} break while agents use them (provider ${provider(words)})`,
    description: (words) =>
      `${service(words)} lost ${words.value('count')} duplex channels in ${wordsWithArticle(losses.window)}, more than ${LOSS_RATE * 100}% of those opened. What was under way on them is lost or done again.`,
    runbook: 'duplex-channels-lost',
  };
}
