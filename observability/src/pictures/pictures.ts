/** Every picture: the path below `docs/pictures/`, what it shows of the dashboards, and how it is drawn. */
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { RECOVERY_KINDS } from '../../../src/semconv.js';
import { type DashboardSpec, dashboard } from '../dashboards/dashboard.js';
import { OVERVIEW } from '../dashboards/overview.js';
import { RECOVERY } from '../dashboards/recovery.js';
import { dashboardPicture } from './dashboard-picture.js';
import type { Measured } from './measured.js';
import { THEMES } from './theme.js';
import { tracePicture } from './trace-picture.js';
import { traceWith } from './traces.js';

/** The sections that a picture has room for, and five minutes of one server something to say about. */
const SECTIONS: readonly { name: string; spec: DashboardSpec; shown: readonly string[] }[] = [
  {
    name: 'overview',
    spec: OVERVIEW,
    shown: ['In the time shown', 'The two rates', 'Refused operations', 'Latency and load'],
  },
  { name: 'recovery', spec: RECOVERY, shown: ['Requests and fallbacks', 'Re-acquires'] },
];

/** The dashboards with nothing but what their pictures show, by the pictures' names. */
export const SHOWN: ReadonlyMap<string, Dashboard> = new Map(
  SECTIONS.map(({ name, spec, shown }) => [
    name,
    dashboard({ ...spec, sections: spec.sections.filter(({ title }) => shown.includes(title)) }),
  ]),
);

/** The files and what stands in them. */
export function pictures(measured: Measured): Map<string, string> {
  const caption = `measured on the demo, seed ${measured.seed}`;
  const traces = RECOVERY_KINDS.map((kind) => traceWith(kind, measured.spans));
  const files = THEMES.flatMap((theme) => [
    ...[...SHOWN].map(
      ([name, built]) =>
        [`${name}-${theme.name}.svg`, dashboardPicture(built, { measured, theme, caption })] as const,
    ),
    [
      `traces-${theme.name}.svg`,
      tracePicture(traces, {
        title: 'Two refused opens, and what recovers from them (arrows are links)',
        caption,
        theme,
      }),
    ] as const,
  ]);
  return new Map(files.map(([name, svg]) => [name, `${svg}\n`]));
}
