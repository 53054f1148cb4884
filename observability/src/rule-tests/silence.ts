/** Tests of the alert about silence. They last for days, in steps of a quarter of an hour. */
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION } from '../../../src/semconv.js';
import { instrumentationSilent } from '../rules/silence.js';
import { type AlertTest, counted, up } from './scenario.js';

const STEP = 15;
/** Operations in each step. */
const EACH = 3;
const HOUR = 60;
const DAY = 24 * HOUR;
const steps = (minutes: number) => minutes / STEP;

const operations = (values: string) => counted(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, {}, values);
const busyUntilNoon = `0+${EACH}x${steps(DAY + 12 * HOUR) - 1}`;
const YESTERDAY = { value: EACH * steps(HOUR), labels: {} };

export const SILENCE_TEST: AlertTest = {
  alert: instrumentationSilent,
  step: STEP,
  scenarios: [
    {
      title: 'fires when the operations of a running server end, and resolves when they come back',
      series: [
        operations(`${busyUntilNoon} stale _x${steps(3 * HOUR)} 0+${EACH}x${steps(6 * HOUR)}`),
        up(`1x${steps(3 * DAY)}`),
      ],
      checks: [
        { at: DAY + 12 * HOUR },
        { at: DAY + 12 * HOUR + 30 },
        { at: DAY + 14 * HOUR, ...YESTERDAY },
        { at: DAY + 15 * HOUR + 30 },
      ],
    },
    {
      title: 'fires when the operations stay where they are, over OTLP',
      naming: 'otlp',
      series: [operations(`${busyUntilNoon} ${EACH * steps(DAY + 12 * HOUR)}x${steps(12 * HOUR)}`)],
      checks: [{ at: DAY + 12 * HOUR }, { at: DAY + 14 * HOUR, ...YESTERDAY }],
    },
    {
      title: 'does not fire while the server is known to be down',
      series: [
        operations(`${busyUntilNoon} stale`),
        up(`1x${steps(DAY + 12 * HOUR) - 1} 0x${steps(12 * HOUR)}`),
      ],
      checks: [{ at: DAY + 14 * HOUR }, { at: DAY + 18 * HOUR }],
    },
    {
      title: 'does not fire while there are operations',
      series: [operations(`0+${EACH}x${steps(3 * DAY)}`), up(`1x${steps(3 * DAY)}`)],
      checks: [{ at: DAY + 14 * HOUR }, { at: 2 * DAY }],
    },
    {
      title: 'does not fire on a day of the week that had no operations a week ago either',
      series: [
        operations(`0x${steps(2 * DAY)} 0+${EACH}x${steps(6 * DAY)} ${EACH * steps(6 * DAY)}x${steps(DAY)}`),
        up(`1x${steps(9 * DAY)}`),
      ],
      checks: [{ at: 8 * DAY + 12 * HOUR }],
    },
    {
      title: 'does not fire where yesterday was quiet, too',
      series: [
        operations(`0+${EACH}x${steps(HOUR)} ${EACH * steps(HOUR)}x${steps(2 * DAY)}`),
        up(`1x${steps(2 * DAY)}`),
      ],
      checks: [{ at: DAY + 14 * HOUR }],
    },
  ],
};
