/** Tests of the alerts about refused operations. */
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_ENVIRONMENT_DRIVER,
  ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME,
  ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER,
  METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
  type OperationName,
  TAG_MISSING_METADATA_FIELD,
  TAG_UNSUPPORTED_DRIVER_OPERATION,
} from '../../../src/semconv.js';
import { SERVICE_VERSION, TARGET_INFO } from '../names.js';
import { missingMetadataAfterDeployment, unsupportedOperationsSpike } from '../rules/alerts.js';
import { type AlertTest, counted, NAMINGS, named, type Scenario, type Series, up } from './scenario.js';

const OPEN = 'open_duplex_channel' satisfies OperationName;
const DAYTONA = {
  [ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: 'sandbox',
  [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'daytona',
};
const E2B = { ...DAYTONA, [ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: 'e2b' };
const OTHER_SERVER = 'server-2';

const opens = (values: string, errorType?: string, server?: string) =>
  counted(
    METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
    {
      [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: OPEN,
      ...DAYTONA,
      ...(errorType === undefined ? {} : { [ATTR_ERROR_TYPE]: errorType }),
    },
    values,
    server,
  );
const unsupported = (values: string, server?: string) =>
  opens(values, TAG_UNSUPPORTED_DRIVER_OPERATION, server);
const missing = (values: string, server?: string) => opens(values, TAG_MISSING_METADATA_FIELD, server);
const version = (name: string, values: string) => named(TARGET_INFO, { [SERVICE_VERSION]: name }, values);

const MOST = OPEN;

const firstErrors: Scenario = {
  title: 'fires for the first errors ever, and resolves when they stop',
  series: [opens('0+5x200'), unsupported('_x120 1+2x9 19x70')],
  checks: [{ at: 123 }, { at: 129, value: 17, labels: DAYTONA, most: MOST }, { at: 145 }, { at: 170 }],
};

/**
 * One of two servers is out of sight for a while, and comes back with what it had counted before: no events of the
 * time in which it comes back. Over OTLP nothing tells that it is silent; a scrape that fails is known.
 *
 * @param errors what it had counted
 * @param begins when it goes, in minutes since the start: late enough for a past
 * @param lengths minutes, from less than a window to more than it takes to be news
 * @param after minutes after it came back to look at
 */
function gaps(
  errors: (values: string, server: string) => Series,
  { begins, lengths, after }: { begins: number; lengths: number[]; after: number[] },
): Scenario[] {
  return lengths.flatMap((minutes) =>
    (['scraped', 'otlp'] as const).map((naming) => {
      const before = `x${begins - 1}`;
      const gap = naming === 'otlp' ? `_x${minutes}` : `stale _x${minutes - 1}`;
      const scrapes = [up('1x300'), up(`1${before} 0x${minutes - 1} 1x60`, OTHER_SERVER)];
      return {
        title: `does not fire when one of two servers comes back after ${minutes} minutes (${naming})`,
        naming,
        series: [
          opens('0+5x300'),
          opens(`0+5${before} ${gap} 600+5x60`, undefined, OTHER_SERVER),
          errors(`500${before} ${gap} 500x60`, OTHER_SERVER),
          ...(naming === 'otlp' ? [] : scrapes),
        ],
        checks: after.map((later) => ({ at: begins + minutes + later })),
      };
    }),
  );
}

export const SPIKE_TEST: AlertTest = {
  alert: unsupportedOperationsSpike,
  scenarios: [
    ...NAMINGS.map((naming) => ({ ...firstErrors, naming, title: `${firstErrors.title} (${naming})` })),
    {
      title: 'does not fire for a few errors, which the fallback rate is about',
      series: [opens('0+5x200'), unsupported('_x120 1+1x8 9x70')],
      checks: [{ at: 123 }, { at: 130 }, { at: 140 }],
    },
    {
      title: 'does not fire for as many errors as usual, and fires for four times as many',
      series: [opens('0+5x400'), unsupported('0+2x239 480+8x30')],
      checks: [{ at: 180 }, { at: 239 }, { at: 260, value: 88, labels: DAYTONA, most: MOST }],
    },
    {
      title: 'does not fire for steady errors when monitoring begins on a server that has long been running',
      series: [opens('_x10 5000+5x200'), unsupported('_x10 1000+2x200')],
      checks: [14, 60, 73, 83, 120].map((at) => ({ at })),
    },
    {
      title: 'fires for the first errors of a provider that is new, where the service is not',
      series: [
        opens('0+5x200'),
        { ...unsupported('_x120 1+2x9 19x70'), labels: { ...unsupported('').labels, ...E2B } },
      ],
      checks: [{ at: 129, value: 17, labels: E2B, most: MOST }, { at: 145 }],
    },
    {
      title: 'counts the errors of a server that is new, where the service is not',
      series: [
        opens('0+5x200'),
        opens('_x120 40x80', undefined, OTHER_SERVER),
        unsupported('_x120 20x80', OTHER_SERVER),
      ],
      checks: [{ at: 124, value: 20, labels: DAYTONA, most: MOST }, { at: 145 }],
    },
    {
      title: 'does not fire when a server is reached for the first time that has long been running',
      series: [
        opens('0+5x120'),
        up('1x120'),
        opens('_x81 400+5x40', undefined, OTHER_SERVER),
        unsupported('_x81 50x40', OTHER_SERVER),
        up('0x80 1x40', OTHER_SERVER),
      ],
      checks: [{ at: 86 }, { at: 95 }],
    },
    ...gaps(unsupported, { begins: 81, lengths: [8, 100], after: [2, 5, 14] }),
  ],
};

export const METADATA_TEST: AlertTest = {
  alert: missingMetadataAfterDeployment,
  scenarios: [
    {
      title: 'fires after another version was deployed, and resolves when the errors stop',
      series: [
        opens('0+5x119 0+5x120'),
        version('1.0.0', '1x119 stale'),
        version('2.0.0', '_x120 1x120'),
        missing('_x122 1+1x9 10x100'),
      ],
      checks: [{ at: 121 }, { at: 128, value: 6, labels: DAYTONA, most: MOST }, { at: 170 }],
    },
    {
      title: 'fires after a server was replaced by another, over OTLP',
      naming: 'otlp',
      series: [
        opens('0+5x119 stale'),
        opens('_x120 5+5x80', undefined, OTHER_SERVER),
        missing('_x122 1+1x9 10x100', OTHER_SERVER),
      ],
      checks: [{ at: 128, value: 6, labels: DAYTONA, most: MOST }, { at: 170 }],
    },
    {
      title: 'resolves an hour after the deployment, when it is no news any more',
      series: [opens('0+5x119 0+5x120'), missing('_x122 1+1x100')],
      checks: [{ at: 175, value: 31, labels: DAYTONA, most: MOST }, { at: 190 }],
    },
    {
      title: 'does not fire without a deployment',
      series: [opens('0+5x300'), version('1.0.0', '1x300'), missing('_x122 1+1x9 10x100')],
      checks: [{ at: 128 }, { at: 140 }],
    },
    {
      title: 'does not fire for as many errors as before the deployment',
      series: [opens('0+5x179 0+5x60'), missing('0+1x179 0+1x60')],
      checks: [{ at: 185 }, { at: 200 }],
    },
    {
      title: 'does not fire for two errors after a deployment',
      series: [opens('0+5x119 0+5x120'), missing('_x122 1 2 2x50')],
      checks: [{ at: 128 }, { at: 140 }],
    },
  ],
};
