/** What the dashboards ask of Prometheus, with their variables filled in. */
import { accelerate, TIMING } from '../../../observability/src/limits.js';
import { recordings } from '../../../observability/src/rules/recordings.js';
import { BUILT_DASHBOARDS, PANELS } from '../support.js';

/** What Grafana fills in where everything is shown: everything since the start, in steps that hold several scrapes. */
const VALUES = { $__range: '5m', $__interval: '60s', $provider: '.*', $job: '.*' } as const;

/** How many times as fast the rules of the live tests are. */
const TIMES = 60;
const names = (timing: typeof TIMING) =>
  Object.values(recordings(timing)).flatMap((group) => group.map(({ record }) => record));
const FASTER = names(accelerate(TIMING, TIMES));
const RENAMED = new Map(names(TIMING).map((name, index) => [name, FASTER[index] ?? '']));
/** Nothing fires until a test makes it; `observability/browser` has alerts that fire. */
const OF_ALERTS = 'What fires now';

/** The expressions of all panels and annotations, each with where it stands. */
export const EXPRESSIONS: readonly (readonly [title: string, expr: string])[] = [
  ...PANELS.filter(({ panel }) => panel.title !== OF_ALERTS).flatMap(({ dashboard, panel }) =>
    (panel.targets ?? []).map((target) => [`${dashboard} / ${panel.title}`, exprOf(target)] as const),
  ),
  ...BUILT_DASHBOARDS.flatMap(({ title, annotations }) =>
    (annotations?.list ?? []).map(
      // An annotation is there for one step.
      ({ name, target }) => [`${title} / ${name}`, `last_over_time((${exprOf(target)})[5m:1s])`] as const,
    ),
  ),
];

/** The variables that offer the values of a label. */
export const CHOICES: readonly (readonly [title: string, label: string, selector: string])[] =
  BUILT_DASHBOARDS.flatMap(({ title, templating }) =>
    (templating?.list ?? []).flatMap(({ name, query }) => {
      const text = typeof query === 'object' ? (query as { query?: string }).query : undefined;
      const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(text ?? '') ?? [];
      return selector && label ? [[`${title} / ${name}`, label, selector] as const] : [];
    }),
  );

/** An expression as Grafana sends it when one server is chosen. */
export function fill(expr: string, instance: string): string {
  const values = { ...VALUES, $instance: instance };
  const filled = Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), expr);
  if (filled.includes('$')) throw new Error(`a variable is unknown: ${filled}`);
  const renamed = filled.replaceAll(/\b\w+:\w+:\w+\b/g, (name) => RENAMED.get(name) ?? name);
  // So do the steps in which recordings and gauges are looked at.
  return renamed.replaceAll(/:(\d+)m\]/g, (_, minutes: string) => `:${(Number(minutes) * 60) / TIMES}s]`);
}

function exprOf(target: unknown): string {
  return (target as { expr: string }).expr;
}
