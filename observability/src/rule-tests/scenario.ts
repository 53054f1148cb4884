/** Unit tests of the rules in promtool's format, written with the names of the conventions. */
import { stringify } from 'yaml';
import type { MetricDefinition } from '../../../src/semconv.js';
import { TIMING } from '../limits.js';
import { INSTANCE, JOB, labelName, namePattern, UP } from '../names.js';
import { duration } from '../promql.js';
import { annotations, groups } from '../rules/prometheus.js';
import type { AlertFactory, Words } from '../rules/rule.js';

/** The ways in for metrics, by the names that result. */
export const NAMINGS = ['scraped', 'otlp', 'without suffixes'] as const;
export type Naming = (typeof NAMINGS)[number];

export const PAPERCLIP = 'paperclip';
const SERVER = 'server-1';

/** Series from the start of the test, one value a step, in promtool's notation. */
export interface Series {
  readonly name: (naming: Naming) => string;
  readonly labels: Readonly<Record<string, string>>;
  readonly values: string;
}

/** Values of what a metric counts. */
export function counted(
  metric: MetricDefinition,
  attributes: Readonly<Record<string, string>>,
  values: string,
  server = SERVER,
): Series {
  const part = metric.instrument === 'histogram' ? 'count' : undefined;
  return {
    name: (naming) => nameIn(naming, namePattern(metric, part)),
    labels: { [JOB]: PAPERCLIP, [INSTANCE]: server, ...attributes },
    values,
  };
}

/** Every optional part of a name's pattern is there, or not, by the way in. */
function nameIn(naming: Naming, pattern: string): string {
  const kept = { scraped: /^_total$/, otlp: /./, 'without suffixes': /^$/ }[naming];
  return pattern.replaceAll(/\(([^)]+)\)\?/g, (_, suffix: string) => (kept.test(suffix) ? suffix : ''));
}

export function named(name: string, labels: Readonly<Record<string, string>>, values: string): Series {
  return { name: () => name, labels: { [JOB]: PAPERCLIP, [INSTANCE]: SERVER, ...labels }, values };
}

export function up(values: string, server = SERVER): Series {
  return named(UP, { [INSTANCE]: server }, values);
}

/** What should be firing at one time; nothing where there is no value. */
export interface Check {
  /** Minutes since the start of the test. */
  readonly at: number;
  readonly value?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** What the text looks up: how many of how many, and within which time. */
  readonly counts?: readonly [failed: number, all: number, window: string];
  /** The most frequent value that the text names. */
  readonly most?: string;
}

export interface Scenario {
  readonly title: string;
  readonly series: readonly Series[];
  readonly checks: readonly Check[];
  readonly naming?: Naming;
}

export interface AlertTest {
  readonly alert: AlertFactory;
  readonly scenarios: readonly Scenario[];
}

/** A text as it reads in a notification. */
function rendered(
  value: number,
  labels: Readonly<Record<string, string>>,
  { counts: [failed, all, window] = [0, 0, ''], most }: Check,
): Words {
  return {
    counts: ({ things }) => `${failed} of the last ${all} ${things} (within ${window})`,
    most: (_label, before) => (most === undefined ? '' : ` ${before} ${most}.`),
    value: (as) =>
      ({
        count: value.toFixed(0),
        percentage: `${Number((value * 100).toPrecision(4))}%`,
        age: humanized(value),
      })[as],
    label: (name, otherwise) => labels[name] ?? otherwise,
  };
}

/** Seconds as Prometheus' `humanizeDuration` writes whole ones from a minute on. */
function humanized(seconds: number): string {
  const [days, hours, minutes] = [86_400, 3600, 60].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  const parts = [`${days}d`, `${hours % 24}h`, `${minutes % 60}m`, `${Math.floor(seconds % 60)}s`];
  return parts.slice(parts.findIndex((part) => !part.startsWith('0'))).join(' ');
}

function labelsOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [labelName(name), value]));
}

function selector(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labelsOf(labels)).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${pairs.join(', ')}}`;
}

/** @param rules path of the rules from the test's file */
export function testFile({ alert: create, scenarios }: AlertTest, rules: string): string {
  const alert = create(TIMING);
  const evaluated = duration(TIMING.interval);
  const expect = (check: Check) => {
    const { value, labels = {} } = check;
    if (value === undefined) return [];
    const all = { [JOB]: PAPERCLIP, ...labels };
    return [
      {
        exp_labels: { severity: alert.severity, ...labelsOf(all) },
        exp_annotations: annotations(alert, rendered(value, all, check)),
      },
    ];
  };
  const tests = scenarios.map(({ title, series, checks, naming = 'scraped' }) => ({
    name: title,
    interval: evaluated,
    input_series: series.map(({ name, labels, values }) => ({
      series: selector(name(naming), labels),
      values,
    })),
    alert_rule_test: checks.map((check) => ({
      eval_time: `${check.at}m`,
      alertname: alert.name,
      exp_alerts: expect(check),
    })),
  }));
  return stringify(
    {
      rule_files: [rules],
      group_eval_order: groups(TIMING).map(({ name }) => name),
      evaluation_interval: evaluated,
      tests,
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}
