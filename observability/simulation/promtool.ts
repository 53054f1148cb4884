/** Rules evaluated by promtool over days and weeks, and what fired when. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { TIMING } from '../src/limits.js';
import { groups } from '../src/rules/prometheus.js';
import type { Series, Span } from './world.js';

/** An alert that fired, with its labels. */
export interface Firing {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Minutes, from the first evaluation at which it fires to the first at which it does not. */
  readonly spans: readonly Span[];
}

interface Evaluation {
  readonly series: readonly Series[];
  /** Minutes between two evaluations. */
  readonly step: number;
  /** Minutes. */
  readonly length: number;
  /** Only these alerts, and the recordings that they need; all where nothing is said. */
  readonly alerts?: readonly string[] | undefined;
}

/** Minutes between two scrapes: Prometheus looks back five for a value. */
export function scrapeStep(step: number): number {
  return Math.min(step, 5);
}

/** Whether an alert fired at each of so many evaluations fits into one number. */
const BITS = 48;

/**
 * What promtool finds.
 *
 * A test can only ask for single values. So it asks for numbers whose bits say at which evaluations an alert fired, expects none, and
 * promtool tells those that there are.
 *
 * @throws {Error} where promtool is missing, or does not understand the rules
 */
export async function evaluate({ series, step, length, alerts }: Evaluation): Promise<Firing[]> {
  const chunk = BITS * step;
  const starts = Array.from({ length: Math.floor(length / chunk) + 1 }, (_, index) => index * chunk);
  const rules = rulesFor(alerts, step);
  const test = {
    rule_files: ['rules.yml'],
    group_eval_order: rules.groups.map(({ name }) => name),
    evaluation_interval: `${step}m`,
    tests: [
      {
        interval: `${scrapeStep(step)}m`,
        input_series: series,
        promql_expr_test: starts.map((start) => {
          const last = Math.min(start + chunk, Math.floor(length / step) * step + step) - step;
          // It reaches back a second before the first evaluation that is asked for.
          const range = `${(last - start) * 60 + 1}s`;
          const bit = `2 ^ ((time() - ${start * 60}) / ${step * 60})`;
          return {
            expr: `sum_over_time((ALERTS{alertstate="firing"} * ${bit})[${range}:${step}m])`,
            eval_time: `${last}m`,
          };
        }),
      },
    ],
  };
  const scratch = mkdtempSync(join(tmpdir(), 'alerts-'));
  try {
    writeFileSync(join(scratch, 'rules.yml'), stringify(rules, { lineWidth: 0 }));
    writeFileSync(join(scratch, 'test.yml'), stringify(test, { lineWidth: 0 }));
    const output = await promtool('test', 'rules', join(scratch, 'test.yml'));
    return firings(output, step);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: object;
}

/** The rules as they are generated for this interval, without those that nothing looks at, and without texts, which ask for more. */
function rulesFor(alerts: readonly string[] | undefined, step: number) {
  const all = groups({ ...TIMING, interval: step * 60 }) as { name: string; rules: Rule[] }[];
  const rules = all.flatMap((group) => group.rules);
  const needed = new Set<Rule>();
  const need = (rule: Rule) => {
    if (needed.has(rule)) return;
    needed.add(rule);
    const names = new Set(rule.expr.match(/[a-zA-Z_:][a-zA-Z0-9_:]*/g));
    for (const other of rules) if (other.record !== undefined && names.has(other.record)) need(other);
  };
  for (const rule of rules)
    if (rule.alert !== undefined && (alerts ?? [rule.alert]).includes(rule.alert)) need(rule);
  const kept = all.map(({ name, rules }) => ({
    name,
    rules: rules.filter((rule) => needed.has(rule)).map(({ annotations: _, ...rule }) => rule),
  }));
  return { groups: kept.filter((group) => group.rules.length > 0) };
}

/** Less collecting of garbage, and one core for each: together they take a quarter less time. */
const GO = { GOGC: '1000', GOMAXPROCS: '1' };

function promtool(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('promtool', args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...GO },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    child.on('error', () =>
      reject(new Error('promtool is not installed; it comes with the Debian package prometheus')),
    );
    child.on('close', () => resolve(output));
  });
}

/** `{label="value", …} number`, as promtool writes a value, with its quotes and backslashes escaped. */
const VALUE = /\{((?:\w+="(?:[^"\\]|\\.)*"(?:, )?)*)\} ([-+.\deE]+)/g;
const LABEL = /(\w+)=("(?:[^"\\]|\\.)*")/g;

/** What fired, by what promtool says it got instead of nothing. */
function firings(output: string, step: number): Firing[] {
  const found = new Map<string, { labels: Record<string, string>; times: number[] }>();
  let start = 0;
  for (const line of output.split('\n').map((line) => line.trim())) {
    const isExpected = /^(|Unit Testing: .*|FAILED:|SUCCESS|exp: nil)$/.test(line);
    if (isExpected) continue;
    if (line.startsWith('expr: ')) {
      const seconds = /time\(\) - (\d+)/.exec(line)?.[1];
      start = Number(seconds) / 60;
    } else if (line.startsWith('got: ')) {
      for (const [, all = '', bits] of line.matchAll(VALUE)) {
        const series = found.get(all) ?? { labels: labelsIn(all), times: [] };
        found.set(all, series);
        const isSet = BigInt(Number(bits));
        for (let bit = 0; bit < BITS; bit++)
          if ((isSet >> BigInt(bit)) & 1n) series.times.push(start + bit * step);
      }
    } else throw new Error(`promtool: ${output}`);
  }
  return [...found.values()].map(({ labels: { alertname = '', ...labels }, times }) => ({
    alert: alertname,
    labels,
    spans: spansOf(times, step),
  }));
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name, value = '""']) => [name, JSON.parse(value)]),
  );
}

function spansOf(times: readonly number[], step: number): Span[] {
  const spans: { from: number; to: number }[] = [];
  for (const time of times) {
    const last = spans.at(-1);
    if (last?.to === time) last.to = time + step;
    else spans.push({ from: time, to: time + step });
  }
  return spans;
}
