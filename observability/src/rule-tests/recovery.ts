/** Tests of the alerts about fallbacks, re-acquires and lost channels. */
import {
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  type DuplexOutcome,
  FALLBACK_REASONS_BY_DESIGN,
  LOSS_CLASSES,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type ReacquireOutcome,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { channelsLost, highFallbackRate, lowReacquireSuccess, mostReacquiresFail } from '../rules/alerts.js';
import { type AlertTest, counted, NAMINGS, type Scenario } from './scenario.js';

const PROVIDER = { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'e2b' };

const operations = counted(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, PROVIDER, '0+5x600');
const requests = (outcome: DuplexOutcome, values: string, reason?: string) =>
  counted(
    METRIC_PAPERCLIP_DUPLEX_REQUESTS,
    {
      ...PROVIDER,
      [ATTR_PAPERCLIP_DUPLEX_OUTCOME]: outcome,
      ...(reason === undefined ? {} : { [ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: reason }),
    },
    values,
  );
const fallbacks = (values: string, reason = TAG_UNSUPPORTED_DRIVER_OPERATION) =>
  requests('fallback', values, reason);
const reacquires = (outcome: ReacquireOutcome, values: string) =>
  counted(
    METRIC_PAPERCLIP_LEASE_REACQUIRES,
    { ...PROVIDER, [ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: outcome },
    values,
  );
const losses = (values: string) =>
  counted(
    METRIC_PAPERCLIP_DUPLEX_LOSSES,
    { ...PROVIDER, [ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS]: LOSS_CLASSES[0] },
    values,
  );

const manyFallbacks: Scenario = {
  title: 'fires while a third of the requests falls back, and resolves when none does',
  series: [operations, requests('opened', '0+2x300'), fallbacks('0+1x60 60x240')],
  checks: [{ at: 5 }, { at: 45, value: 1 / 3, labels: PROVIDER }, { at: 120 }],
};

export const FALLBACK_TEST: AlertTest = {
  alert: highFallbackRate,
  scenarios: [
    ...NAMINGS.map((naming) => ({ ...manyFallbacks, naming, title: `${manyFallbacks.title} (${naming})` })),
    {
      title: 'fires where every request falls back from the first one on',
      series: [operations, fallbacks('_x60 1+1x100')],
      checks: [{ at: 90, value: 1, labels: PROVIDER }],
    },
    {
      title: 'does not fire for fallbacks by design',
      series: [
        operations,
        requests('opened', '0+1x100'),
        ...FALLBACK_REASONS_BY_DESIGN.map((reason) => fallbacks('0+5x100', reason)),
      ],
      checks: [{ at: 45 }, { at: 90 }],
    },
    {
      title: 'does not fire where no request is meant to have a channel',
      series: [operations, ...FALLBACK_REASONS_BY_DESIGN.map((reason) => fallbacks('0+5x100', reason))],
      checks: [{ at: 45 }, { at: 90 }],
    },
    {
      title: 'fires for a third of the requests that were not cancelled',
      series: [
        operations,
        requests('opened', '0+2x100'),
        fallbacks('0+1x100'),
        requests('cancelled', '0+9x100'),
      ],
      checks: [{ at: 45, value: 1 / 3, labels: PROVIDER }],
    },
    {
      title: 'does not fire for a few requests at night',
      series: [operations, requests('opened', '0x100'), fallbacks('0x40 1 2 3 4 4x50')],
      checks: [{ at: 45 }, { at: 60 }],
    },
    {
      title: 'does not fire for one of ten',
      series: [operations, requests('opened', '0+9x100'), fallbacks('0+1x100')],
      checks: [{ at: 45 }, { at: 90 }],
    },
  ],
};

export const REACQUIRE_TEST: AlertTest = {
  alert: mostReacquiresFail,
  scenarios: [
    {
      title: 'fires while no re-acquire helps, and resolves soon after they do',
      series: [
        operations,
        reacquires('still_incomplete', '0+1x60 60x100'),
        reacquires('succeeded', '0x60 0+1x100'),
      ],
      checks: [{ at: 3 }, { at: 30, value: 1, labels: PROVIDER }, { at: 80 }],
    },
    {
      title: 'fires for the first re-acquires ever',
      series: [operations, reacquires('acquire_failed', '_x120 1+1x40')],
      checks: [{ at: 122 }, { at: 130, value: 1, labels: PROVIDER }],
    },
    {
      title: 'does not fire while half of them help',
      series: [operations, reacquires('still_incomplete', '0+1x100'), reacquires('succeeded', '0+1x100')],
      checks: [{ at: 30 }, { at: 90 }],
    },
    {
      title: 'does not fire for failures that are over',
      series: [
        operations,
        reacquires('still_incomplete', '0x60 1+1x19 20x60'),
        reacquires('succeeded', '0x89 1 2 3 3x60'),
      ],
      checks: [{ at: 70, value: 1, labels: PROVIDER }, { at: 100 }, { at: 110 }],
    },
    {
      title: 'does not fire where nobody asks for a fresh lease, or uses it',
      series: [operations, reacquires('not_attempted', '0+1x100'), reacquires('not_retried', '0+1x100')],
      checks: [{ at: 30 }, { at: 90 }],
    },
    {
      title: 'does not fire for three failures',
      series: [operations, reacquires('still_incomplete', '0x60 1 2 3 3x50')],
      checks: [{ at: 66 }, { at: 75 }],
    },
  ],
};

export const REACQUIRE_PERSISTS_TEST: AlertTest = {
  alert: lowReacquireSuccess,
  scenarios: [
    {
      title: 'fires while half of the re-acquires fail for hours, and resolves an hour after they do not',
      series: [
        operations,
        reacquires('operation_failed', '0+1x240 240x200'),
        reacquires('succeeded', '0+1x440'),
      ],
      checks: [{ at: 200, value: 0.5, labels: PROVIDER }, { at: 320 }],
    },
    {
      title: 'does not fire while one of ten fails',
      series: [operations, reacquires('still_incomplete', '0+1x400'), reacquires('succeeded', '0+9x400')],
      checks: [{ at: 200 }, { at: 400 }],
    },
  ],
};

export const LOSSES_TEST: AlertTest = {
  alert: channelsLost,
  scenarios: [
    {
      title: 'fires for the first losses ever, and resolves when there are none any more',
      series: [operations, requests('opened', '0+1x300'), losses('_x60 1+1x4 5x200')],
      checks: [{ at: 60 }, { at: 66, value: 5, labels: PROVIDER }, { at: 90 }],
    },
    {
      title: 'fires where no channel was opened lately',
      series: [operations, requests('opened', '20x300'), losses('0x60 1 2 3 4 4x200')],
      checks: [{ at: 66, value: 4, labels: PROVIDER }, { at: 90 }],
    },
    {
      title: 'does not fire for a few of very many',
      series: [operations, requests('opened', '0+20x300'), losses('_x60 1+1x4 5x200')],
      checks: [{ at: 66 }, { at: 70 }],
    },
    {
      title: 'does not fire for two',
      series: [operations, requests('opened', '0+1x300'), losses('_x60 1 2 2x200')],
      checks: [{ at: 66 }, { at: 70 }],
    },
  ],
};
