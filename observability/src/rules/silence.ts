/** The alert that notices when there is nothing to notice any more. */
import type { Timing } from '../limits.js';
import { JOB } from '../names.js';
import { duration, words as inWords } from '../promql.js';
import { IS_DOWN, missedOperations } from './recordings.js';
import type { Alert } from './rule.js';

/**
 * A service without traffic looks like one without instrumentation, so the alert asks whether it had operations at this time a week ago.
 * What broke stays broken until operations come back, whatever the time: the last that is known of it counts.
 */
export function instrumentationSilent(timing: Timing): Alert {
  const { silence, usual, hold } = timing;
  return {
    name: 'PaperclipInstrumentationSilent',
    severity: 'warning',
    hold: hold.long,
    expr: `last_over_time(${missedOperations(timing).record}[${duration(silence.remembered)}]) > 0 unless ${IS_DOWN}`,
    summary: (words) => `No lease operations are seen any more on ${words.label(JOB, 'a server')}`,
    description: (words) =>
      `${words.label(JOB, 'The server')} had ${words.value('count')} lease operations in the same ${inWords(silence.busy)} or ${inWords(silence.quiet)} of the ${inWords(usual.week)} before and none now, and it is not known to be down. The instrumentation may no longer be attached, or its metrics no longer arrive: the other alerts cannot fire. Agents may well work.`,
    runbook: 'instrumentation-silent',
    panel: { dashboard: 'paperclip-overview', title: 'Servers' },
  };
}
