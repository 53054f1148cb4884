/** What the dashboards ask of Prometheus, with their variables filled in. */
import { BUILT_DASHBOARDS, PANELS } from '../support.js';

/** What Grafana fills in where everything is shown: everything since the start, in steps that hold several scrapes. */
const VALUES = { $__range: '5m', $__rate_interval: '20s', $__interval: '60s', $provider: '.*' } as const;

/** The expressions of all panels and annotations, each with where it stands. */
export const EXPRESSIONS: readonly (readonly [title: string, expr: string])[] = [
  ...PANELS.flatMap(({ dashboard, panel }) =>
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
  // Such a query looks at whole minutes only, and the traffic of a test may end within one.
  return filled.replaceAll(':1m]', ':1s]');
}

function exprOf(target: unknown): string {
  return (target as { expr: string }).expr;
}
