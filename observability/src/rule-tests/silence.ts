/** Tests of the alert about silence. Days and weeks of offices are in the simulation. */
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION } from '../../../src/semconv.js';
import { instrumentationSilent } from '../rules/silence.js';
import { type AlertTest, counted, up } from './scenario.js';

const HOUR = 60;
const WEEK = 7 * 24 * HOUR;
const LOST = WEEK + HOUR;

const operations = (values: string) => counted(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION, {}, values);
/** An operation a minute, for a week and an hour. */
const works = `0+1x${LOST - 1}`;

export const SILENCE_TEST: AlertTest = {
  alert: instrumentationSilent,
  scenarios: [
    {
      title: 'fires when the operations of a running server end, and resolves when they come back',
      series: [operations(`${works} stale _x${2 * HOUR} 1+1x${HOUR}`), up(`1x${WEEK + 5 * HOUR}`)],
      checks: [{ at: LOST + 62 }, { at: LOST + 90, value: 61, labels: {} }, { at: LOST + 2 * HOUR + 10 }],
    },
    {
      title: 'does not fire while the server is known to be down',
      series: [operations(`${works} stale`), up(`1x${LOST - 1} 0x${2 * HOUR}`)],
      checks: [{ at: LOST + 90 }],
    },
  ],
};
