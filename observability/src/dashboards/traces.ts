/** Links from what a panel counts to the traces in Jaeger that it counts. */
import { labelName } from '../names.js';
import { VARIABLES } from './queries.js';

/** Fixed values of a trace's attributes, and attributes whose values are those of the series or row clicked at. */
export interface TraceFilter {
  readonly fixed?: Readonly<Record<string, string>>;
  readonly clicked?: readonly string[];
}

export interface Link {
  readonly title: string;
  readonly url: string;
}

const variable = (name: string) => `\${${name}}`;

/**
 * @param clickedIn whether a click is on a series of a graph or on a row of a table
 */
export function tracesLink({ fixed = {}, clicked = [] }: TraceFilter, clickedIn: 'graph' | 'table'): Link {
  const clickedValue = (attribute: string) =>
    clickedIn === 'graph'
      ? variable(`__field.labels.${labelName(attribute)}`)
      : variable(`__data.fields.${labelName(attribute)}`);
  const tags = [
    ...Object.entries(fixed).map(([attribute, value]) => `${attribute}=${value}`),
    ...clicked.map((attribute) => `${attribute}=${clickedValue(attribute)}`),
  ].join(' ');
  const datasource = variable(VARIABLES.traces);
  const panes = {
    traces: {
      datasource,
      queries: [
        {
          refId: 'A',
          datasource: { type: 'jaeger', uid: datasource },
          queryType: 'search',
          service: variable(VARIABLES.service),
          tags,
        },
      ],
      range: { from: variable('__from'), to: variable('__to') },
    },
  };
  return {
    title: 'Traces',
    url: `/explore?schemaVersion=1&panes=${encodeExceptVariables(JSON.stringify(panes))}`,
  };
}

/** Grafana fills in variables where it finds them as they are. */
function encodeExceptVariables(text: string): string {
  return text
    .split(/(\$\{[^}]+\})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('');
}
