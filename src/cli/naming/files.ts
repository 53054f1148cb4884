/** Translates the shipped dashboards, rules and alerts of Grafana into another naming. */
import { METRIC_PAPERCLIP_LEASE_HELD, METRIC_PAPERCLIP_LEASE_OLDEST } from '../../semconv.js';
import { dottedName, labelName, suffixedName } from './names.js';
import { dottedLabel, type Target, translate } from './promql.js';

/** The scrape of what asks the database for leases: it gives the series their names. */
const LEASE_SCRAPE = 'lease-inventory/prometheus.yml';

/** What is translated of YAML has one line for each value. */
const YAML_LINE = /^(\s*(?:- )?)(expr|summary|description|dashboard): (.+)$/;

/**
 * @param path of a file of `observability/generated`, with slashes
 * @param text its content
 * @throws Error where an expression in it cannot be translated
 */
export function translateFile(path: string, text: string, target: Target): string {
  if (path === LEASE_SCRAPE) return leaseScrape(text, target);
  if (path.endsWith('.json')) return `${JSON.stringify(inJson(JSON.parse(text), target), null, 2)}\n`;
  return text
    .split('\n')
    .map((line) => inYaml(line, target))
    .join('\n');
}

function inYaml(line: string, target: Target): string {
  const [, before, key = '', scalar] = YAML_LINE.exec(line) ?? [];
  if (scalar === undefined) return line;
  const value = unquoted(scalar);
  const translated = inText(value, target, key);
  return translated === value ? line : `${before}${key}: '${translated.replaceAll("'", "''")}'`;
}

/** What a scalar in YAML says. */
function unquoted(scalar: string): string {
  if (scalar.startsWith('"')) return JSON.parse(scalar);
  return scalar.startsWith("'") ? scalar.slice(1, -1).replaceAll("''", "'") : scalar;
}

function inJson(value: unknown, target: Target, key?: string): unknown {
  if (typeof value === 'string') return inText(value, target, key);
  if (Array.isArray(value)) return value.map((item) => inJson(item, target));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    // The columns of a table are called by labels.
    dottedLabel(name, target) ?? name,
    inJson(inner, target, name),
  ]);
  return ofBuckets(Object.fromEntries(entries), target);
}

/** A query of a heatmap. Grafana takes a native histogram apart itself; its format for buckets would spoil that. */
function ofBuckets(query: Record<string, unknown>, target: Target): Record<string, unknown> {
  if (query.format !== 'heatmap' || !target.hasNativeHistograms) return query;
  const { legendFormat: _, ...rest } = query;
  return { ...rest, format: 'time_series' };
}

function inText(text: string, target: Target, key?: string): string {
  if (key === 'expr' || text.startsWith('label_values(')) return translate(text, target);
  const renamed = (written: string, label: string, rename: (dotted: string) => string) => {
    const dotted = dottedLabel(label, target);
    return dotted === undefined ? written : rename(dotted);
  };
  return (
    renamed(text, text, (dotted) => dotted)
      // The names of series in Grafana, its links, and the texts of alerts.
      .replaceAll(/\{\{(\w+)\}\}/g, (all, label) => renamed(all, label, (dotted) => `{{${dotted}}}`))
      .replaceAll(/(__field\.labels|__data\.fields)\.(\w+)/g, (all, of, label) =>
        renamed(all, label, (dotted) => `${of}["${dotted}"]`),
      )
      .replaceAll(/\$labels\.(\w+)/g, (all, label) =>
        renamed(all, label, (dotted) => `(index $labels "${dotted}")`),
      )
      // What the text of an alert looks up.
      .replaceAll(/(?<=printf `)[^`]*/g, (query) => inFormat(query, target))
      .replaceAll(/(?<=label ")\w+(?=")/g, (label) => dottedLabel(label, target) ?? label)
  );
}

/** PromQL with places for values, such as `%[1]q`. */
function inFormat(query: string, target: Target): string {
  const withTexts = query.replaceAll(/%\[\d+\]q/g, '"$&"');
  return translate(withTexts, target).replaceAll(/"(%\[\d+\]q)"/g, '$1');
}

/** The exporter that is scraped has no dots in the names of labels, so Prometheus renames them. */
function leaseScrape(text: string, { naming }: Target): string {
  if (naming === 'underscores') return text;
  const metrics = [METRIC_PAPERCLIP_LEASE_HELD, METRIC_PAPERCLIP_LEASE_OLDEST];
  const named = metrics.reduce(
    (all, metric) => all.replaceAll(suffixedName(metric), dottedName(metric, naming)),
    text,
  );
  const labels = METRIC_PAPERCLIP_LEASE_HELD.attributes.map(
    (attribute) =>
      `      - regex: ${labelName(attribute)}\n        replacement: ${attribute}\n        action: labelmap\n`,
  );
  return `${named}${labels.join('')}      - regex: paperclip_.+\n        action: labeldrop\n`;
}
