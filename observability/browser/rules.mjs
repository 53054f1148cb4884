// @ts-check
/** What the generated rules would have recorded of a scenario, and which alerts would fire at its end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import yaml from 'yaml';

/**
 * @typedef {import('./stage.mjs').Prometheus} Prometheus
 * @typedef {{ record?: string, alert?: string, expr: string, labels?: Record<string, string> }} Rule
 */

const GENERATED = join(import.meta.dirname, '../generated');
const { groups } = yaml.parse(readFileSync(join(GENERATED, 'prometheus/paperclip.rules.yml'), 'utf8'));
/** @type {Rule[]} */
const ALL = groups.flatMap((/** @type {{ rules: object[] }} */ { rules }) => rules);
const RULES = new Map(ALL.map((rule) => [rule.record ?? '', rule]));
const ALERTS = ALL.filter(({ alert }) => alert);

/** @param {string} text @returns {string[]} */
const recordings = (text) => [...new Set(text.match(/\b\w+:\w+:\w+\b/g))].filter((name) => RULES.has(name));

/** The rules that dashboards and alerts refer to, and those that these refer to, in levels: each refers to those before it. */
function levels() {
  const folder = join(GENERATED, 'dashboards');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  /** @type {Map<string, number>} */
  const level = new Map();
  const visit = (/** @type {string} */ name) => {
    const known = level.get(name);
    if (known !== undefined) return known;
    const others = recordings(RULES.get(name)?.expr ?? '').map(visit);
    const own = Math.max(-1, ...others) + 1;
    level.set(name, own);
    return own;
  };
  for (const name of recordings([...texts, ...ALERTS.map(({ expr }) => expr)].join(' '))) visit(name);
  return [...new Set(level.values())]
    .sort()
    .map((own) => [...level].filter((each) => each[1] === own).map(([name]) => name));
}

/** Every minute is needed of what others add up; panels look at each fifth. @param {string} name */
const everySeconds = (name) =>
  ALL.some(({ expr }) => new RegExp(`\\b${name}(\\{[^}]*\\})?\\[\\w+\\]`).test(expr)) ? 60 : 300;

/** @param {Record<string, string>} labels */
const braces = (labels) =>
  `{${Object.entries(labels)
    .filter(([name]) => name !== '__name__')
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;

/**
 * Samples in OpenMetrics' text format, to be added before the next are asked for: level by level.
 *
 * @param {Prometheus} prometheus
 * @param {import('./scenarios.mjs').Scenario} scenario
 * @param {number} to seconds since the epoch
 * @returns {AsyncGenerator<string[]>}
 */
export async function* ruled(prometheus, { hours, before }, to) {
  const start = to - 3600 * (hours + before);
  for (const names of levels()) {
    await prometheus.start();
    const text = [];
    for (const name of names) {
      const range = { query: RULES.get(name)?.expr ?? '', start, end: to, step: everySeconds(name) };
      for (const { metric, values } of await prometheus.ask('query_range', range))
        text.push(values.map(([time, value]) => `${name}${braces(metric)} ${value} ${time}\n`).join(''));
    }
    yield [...text, '# EOF\n'];
  }
  await prometheus.start();
  const text = [];
  for (const rule of ALERTS) text.push(await alert(prometheus, rule, to));
  yield [...text, '# EOF\n'];
}

/** Seconds before the end at which an alert's condition is looked at. */
const LOOKS = [0, 600, 1800, 3600, 7200, 18_000];

/**
 * Prometheus' own series of an alert whose condition has held for ten minutes.
 *
 * @param {Prometheus} prometheus
 * @param {Rule} rule
 * @param {number} to
 */
async function alert(prometheus, { alert: alertname = '', expr: query, labels }, to) {
  /** @type {Map<string, number>} */
  const began = new Map();
  for (const [index, ago] of LOOKS.entries()) {
    const found = await prometheus.ask('query', { query, time: to - ago });
    const now = new Set(found.map(({ metric }) => braces({ alertname, ...labels, ...metric })));
    for (const key of now) if (index === 0 || began.get(key) === LOOKS[index - 1]) began.set(key, ago);
    if (!found.length) break;
  }
  return [...began]
    .filter(([, ago]) => ago > 0)
    .map(
      ([key, ago]) =>
        `ALERTS${key.replace('{', '{alertstate="firing",')} 1 ${to}\nALERTS_FOR_STATE${key} ${to - ago} ${to}\n`,
    )
    .join('');
}
