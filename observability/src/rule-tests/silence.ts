/** Tests of the alert about silence. Days and weeks of offices are in the simulation. */
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION } from '../../../src/semconv.js';
import { instrumentationSilent } from '../rules/silence.js';
import { type AlertTest, counted, up } from './scenario.js';

const HOUR = 60;
const WEEK = 7 * 24 * HOUR;
/** promtool takes at most 10,000 samples into one expression, so operations are not recorded all week. */
const BUSY = 5 * HOUR;
const BACK = WEEK + 3 * HOUR;

const operations = (values: string) => counted(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, {}, values);
/** An operation a minute for some hours, and none at the same time a week later. */
const works = `0+1x${BUSY - 1} ${BUSY}x${BACK - BUSY}`;

export const SILENCE_TEST: AlertTest = {
  alert: instrumentationSilent,
  scenarios: [
    {
      title: 'fires when a running server has no operations, and resolves when they come back',
      series: [operations(`${works} ${BUSY}+1x${HOUR}`), up(`1x${BACK + HOUR}`)],
      checks: [{ at: WEEK + 10 }, { at: WEEK + 90, value: 61, labels: {} }, { at: BACK + 10 }],
    },
    {
      title: 'does not fire while the server is known to be down',
      series: [operations(works), up(`1x${WEEK - 1} 0x${2 * HOUR}`)],
      checks: [{ at: WEEK + 90 }],
    },
  ],
};
