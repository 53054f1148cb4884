/** Tests of the alerts about fallbacks, re-acquires and lost channels. */
import {
  ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON,
  ATTR_PAPERCLIP_DUPLEX_LOSS_REASON,
  ATTR_PAPERCLIP_DUPLEX_OUTCOME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME,
  type DuplexOutcome,
  FALLBACK_REASONS_BY_DESIGN,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE,
  METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
  METRIC_PAPERCLIP_DUPLEX_LOSSES,
  METRIC_PAPERCLIP_DUPLEX_REQUESTS,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  METRIC_PAPERCLIP_LEASE_REACQUIRES,
  type ReacquireOutcome,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { channelsLost, highFallbackRate, lowReacquireSuccess, mostReacquiresFail } from '../rules/alerts.js';
import { type AlertTest, counted, NAMINGS, type Scenario, up } from './scenario.js';

const PROVIDER = { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'e2b' };
const DAYTONA = { [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'daytona' };

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
const LOST = 'heartbeat_timeout';
const losses = (values: string) =>
  counted(METRIC_PAPERCLIP_DUPLEX_LOSSES, { ...PROVIDER, [ATTR_PAPERCLIP_DUPLEX_LOSS_REASON]: LOST }, values);
const ended = (values: string) => counted(METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION, PROVIDER, values);
const open = (values: string) => counted(METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE, PROVIDER, values);

const SHORTLY = '15 minutes';
const REFUSED = TAG_UNSUPPORTED_DRIVER_OPERATION;

const manyFallbacks: Scenario = {
  title: 'fires while half of the requests fall back, and resolves when none does',
  series: [operations, requests('opened', '0+1x300'), fallbacks('0+1x60 60x240')],
  checks: [
    { at: 5 },
    { at: 45, value: 0.5, labels: PROVIDER, counts: [16, 32, SHORTLY], most: REFUSED },
    { at: 85 },
    { at: 120 },
  ],
};

export const FALLBACK_TEST: AlertTest = {
  alert: highFallbackRate,
  scenarios: [
    ...NAMINGS.map((naming) => ({ ...manyFallbacks, naming, title: `${manyFallbacks.title} (${naming})` })),
    {
      title: 'fires where every request falls back from the first one on, and says how many did',
      series: [operations, fallbacks('_x60 1+1x100')],
      checks: [
        { at: 64 },
        { at: 68, value: 1, labels: PROVIDER, counts: [8, 8, 'an hour'], most: REFUSED },
        { at: 90, value: 1, labels: PROVIDER, counts: [16, 16, SHORTLY], most: REFUSED },
      ],
    },
    {
      title: 'names the reason that most fallbacks have, and the provider that has them',
      series: [
        operations,
        fallbacks('_x60 1+1x40', 'route_busy'),
        fallbacks('_x60 2+2x40', 'ready_timeout'),
        { ...requests('opened', '0+3x100'), labels: { ...requests('opened', '').labels, ...DAYTONA } },
      ],
      checks: [{ at: 90, value: 1, labels: PROVIDER, counts: [48, 48, SHORTLY], most: 'ready_timeout' }],
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
      title: 'fires for half of the requests that were not cancelled',
      series: [
        operations,
        requests('opened', '0+1x100'),
        fallbacks('0+1x100'),
        requests('cancelled', '0+9x100'),
      ],
      checks: [{ at: 45, value: 0.5, labels: PROVIDER, counts: [16, 32, SHORTLY], most: REFUSED }],
    },
    {
      title: 'does not fire for three requests at night, nor for one of ten',
      series: [operations, requests('opened', '0x40 0+9x90'), fallbacks('0x20 1 2 3 3x18 3+1x90')],
      checks: [{ at: 30 }, { at: 40 }, { at: 90 }, { at: 130 }],
    },
  ],
};

export const REACQUIRES_FAIL_TEST: AlertTest = {
  alert: mostReacquiresFail,
  scenarios: [
    {
      title: 'fires while no re-acquire helps, and resolves soon after they do',
      series: [
        operations,
        reacquires('still_incomplete', '_x20 1+1x40 41x100'),
        reacquires('succeeded', '_x60 1+1x100'),
      ],
      checks: [
        { at: 29 },
        { at: 50, value: 1, labels: PROVIDER, counts: [16, 16, SHORTLY], most: 'still_incomplete' },
        { at: 85 },
      ],
    },
    {
      title: 'does not fire while half of them help',
      series: [operations, reacquires('still_incomplete', '0+1x100'), reacquires('succeeded', '0+1x100')],
      checks: [{ at: 30 }, { at: 90 }],
    },
  ],
};

export const REACQUIRE_TEST: AlertTest = {
  alert: lowReacquireSuccess,
  scenarios: [
    {
      title: 'fires for the fourth failure of the first re-acquires ever, and resolves when they help',
      series: [
        operations,
        reacquires('acquire_failed', '_x120 1 2 3 4 4x200'),
        reacquires('succeeded', '_x130 1+1x200'),
      ],
      checks: [
        { at: 125 },
        { at: 128, value: 1, labels: PROVIDER, counts: [4, 4, 'an hour'], most: 'acquire_failed' },
        { at: 160 },
      ],
    },
    {
      title: 'counts over restarts of the server, each of which fails one re-acquire',
      series: [
        {
          ...operations,
          values: Array.from({ length: 6 }, () => '0+5x59').join(' '),
        },
        up('1x400'),
        reacquires('operation_failed', Array.from({ length: 6 }, () => '_x30 1x28 stale').join(' ')),
      ],
      checks: [
        { at: 200 },
        { at: 230, value: 1, labels: PROVIDER, counts: [4, 4, '6 hours'], most: 'operation_failed' },
      ],
    },
    {
      title: 'does not fire where nobody asks for a fresh lease, or uses it',
      series: [operations, reacquires('not_attempted', '0+1x100'), reacquires('not_retried', '0+1x100')],
      checks: [{ at: 30 }, { at: 90 }],
    },
    {
      title: 'does not fire while one of twenty fails',
      series: [operations, reacquires('still_incomplete', '0+1x400'), reacquires('succeeded', '0+19x400')],
      checks: [{ at: 200 }, { at: 400 }],
    },
  ],
};

export const LOSSES_TEST: AlertTest = {
  alert: channelsLost,
  scenarios: [
    {
      title: 'fires for the first losses ever, and resolves when there are none any more',
      series: [operations, open('20x300'), ended('0+1x300'), losses('_x60 1+1x9 10x200')],
      checks: [
        { at: 60 },
        { at: 75, value: 10 / 36, labels: PROVIDER, counts: [10, 36, SHORTLY], most: LOST },
        { at: 110 },
      ],
    },
    {
      title: 'does not fire for three of sixty channels that are open for hours',
      series: [
        operations,
        open('60x60 59 58 57 57x200'),
        ended('0x60 1 2 3 3x200'),
        losses('_x60 1 2 3 3x200'),
      ],
      checks: [{ at: 66 }, { at: 70 }, { at: 120 }],
    },
    {
      title: 'does not fire for a few of very many',
      series: [operations, ended('0+20x300'), losses('_x60 1+1x4 5x200')],
      checks: [{ at: 66 }, { at: 70 }],
    },
  ],
};
