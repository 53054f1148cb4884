/** The alert that notices when there is nothing to notice any more. */
import { METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION } from '../../../src/semconv.js';
import { SILENCE_MIN_OPERATIONS, type Timing } from '../limits.js';
import { JOB, UP } from '../names.js';
import {
  aggregate,
  countEvents,
  duration,
  words as inWords,
  selectCount,
  sum,
  wordsWithArticle,
} from '../promql.js';
import { operations } from '../quantities.js';
import type { Alert } from './rule.js';

/**
 * A server without traffic looks like one without instrumentation, so the alert asks whether this hour has
 * operations on other days; and a server that is known to be down is not silent, it is down.
 */
export function instrumentationSilent({ silence, hold }: Timing): Alert {
  const window = duration(silence.window);
  const series = selectCount(METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION);
  const past = (offset: number) => sum(`increase(${series}[${window}] offset ${duration(offset)})`, [JOB]);
  return {
    name: 'PaperclipInstrumentationSilent',
    severity: 'warning',
    hold: hold.long,
    expr: () =>
      [
        `${past(silence.lately)} >= ${SILENCE_MIN_OPERATIONS}`,
        `${past(silence.earlier)} < ${SILENCE_MIN_OPERATIONS}`,
        `${operations({ window, by: [JOB] }, countEvents)} > 0`,
        `${aggregate('max', UP, [JOB])} == 0`,
      ].join(' unless '),
    summary: (words) => `No lease operations are seen any more on ${words.label(JOB, 'a server')}`,
    description: (words) =>
      `${words.label(JOB, 'The server')} had ${words.value('count')} lease operations in the same ${inWords(silence.window)} ${wordsWithArticle(silence.lately)} ago and none now, and it is not known to be down. The instrumentation may no longer be attached, or its metrics no longer arrive: the other alerts cannot fire.`,
    runbook: 'instrumentation-silent',
  };
}
