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

const firstErrors: Scenario = {
  title: 'fires for the first errors ever, and resolves when they stop',
  series: [opens('0+5x200'), unsupported('_x120 1+1x9 10x70')],
  checks: [
    { at: 120 },
    { at: 125 },
    { at: 127, value: 8, labels: DAYTONA },
    { at: 133, value: 6, labels: DAYTONA },
    { at: 137 },
    { at: 160 },
  ],
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
      title: 'does not fire for a few errors',
      series: [opens('0+5x200'), unsupported('_x120 1 2 3 4 4x50')],
      checks: [{ at: 123 }, { at: 126 }, { at: 130 }],
    },
    {
      title: 'does not fire for as many errors as usual, and fires for four times as many',
      series: [opens('0+5x400'), unsupported('0+1x239 240+4x30')],
      checks: [{ at: 180 }, { at: 239 }, { at: 260, value: 40, labels: DAYTONA }],
    },
    {
      title: 'does not fire when monitoring begins on a server that has long been running',
      series: [opens('_x60 5000+5x60'), unsupported('_x60 100x60')],
      checks: [{ at: 63 }, { at: 66 }, { at: 75 }],
    },
    {
      title: 'does not fire for steady errors when monitoring begins',
      series: [opens('_x10 5000+5x200'), unsupported('_x10 1000+2x200')],
      checks: [14, 25, 60, 70, 73, 76, 80, 83, 90, 120].map((at) => ({ at })),
    },
    {
      title: 'fires for the first errors of a provider that is new, where the service is not',
      series: [
        opens('0+5x200'),
        { ...unsupported('_x120 1+1x9 10x70'), labels: { ...unsupported('').labels, ...E2B } },
      ],
      checks: [{ at: 127, value: 8, labels: E2B }, { at: 137 }],
    },
    {
      title: 'counts from 0 what a server counts that comes back restarted, over OTLP',
      naming: 'otlp',
      series: [
        opens('0+5x200'),
        opens('0+5x120 _x8 1+5x60', undefined, OTHER_SERVER),
        unsupported('500x120 _x8 8x60', OTHER_SERVER),
      ],
      checks: [{ at: 136, value: 8, labels: DAYTONA }, { at: 150 }],
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
      checks: [{ at: 83 }, { at: 86 }, { at: 95 }],
    },
    ...gaps(unsupported, { begins: 81, lengths: [8, 15, 100], after: [2, 5, 9, 14] }),
    {
      title: 'does not fire without any operations',
      series: [up('1x60')],
      checks: [{ at: 30 }],
    },
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
      checks: [{ at: 121 }, { at: 128, value: 7, labels: DAYTONA }, { at: 170 }],
    },
    {
      title: 'fires after a server was replaced by another, over OTLP',
      naming: 'otlp',
      series: [
        opens('0+5x119 stale'),
        opens('_x120 5+5x80', undefined, OTHER_SERVER),
        missing('_x122 1+1x9 10x100', OTHER_SERVER),
      ],
      checks: [{ at: 128, value: 7, labels: DAYTONA }, { at: 170 }],
    },
    {
      title: 'resolves an hour after the deployment, when it is no news any more',
      series: [opens('0+5x119 0+5x120'), missing('_x122 1+1x100')],
      checks: [{ at: 175, value: 30, labels: DAYTONA }, { at: 190 }],
    },
    {
      title: 'counts errors from before and after a restart together',
      series: [opens('0+5x125 0+5x120'), missing('_x122 1 2 2 2 1 2 2x100')],
      // The first error of a series that begins and is reset within the window is not seen.
      checks: [{ at: 130, value: 3, labels: DAYTONA }, { at: 170 }],
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
      title: 'does not fire for steady errors when monitoring begins, which is no deployment',
      series: [opens('_x10 5000+5x200'), missing('_x10 1000+1x200')],
      checks: [14, 30, 60, 70, 90, 100, 103, 106, 120].map((at) => ({ at })),
    },
    ...gaps(missing, { begins: 101, lengths: [100], after: [2, 5, 20, 32] }),
    {
      title: 'does not fire for two errors after a deployment',
      series: [opens('0+5x119 0+5x120'), missing('_x122 1 2 2x50')],
      checks: [{ at: 128 }, { at: 140 }],
    },
  ],
};
