/** A Prometheus that scrapes the demo, twice: the metrics as they are, and under the names that they have without units. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Timing } from '../../../observability/src/limits.js';
import { prometheusRules } from '../../../observability/src/rules/prometheus.js';
import { answering, freePort, type Servers } from './processes.js';
import { findProgram } from './programs.js';

/** Between two scrapes, in seconds; a count is no more exact in time. */
export const RESOLUTION = 1;

const WITH_UNITS = 'paperclip';
const WITHOUT_UNITS = 'paperclip-without-units';
/** The scrapes. Each has its name for `instance`, too. */
export const JOBS = [WITH_UNITS, WITHOUT_UNITS] as const;

/** One series of an answer. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  /** Of a native histogram, how many values it has. */
  readonly value: number;
}

export class Prometheus {
  readonly #api: string;

  /** @param url where it listens */
  constructor(url: string) {
    this.#api = `${url}/api/v1`;
  }

  /** @param at when to evaluate it, in milliseconds since the epoch; now where it is absent */
  async query(query: string, at = Date.now()): Promise<Sample[]> {
    const { result } = await this.#ask<{ result: Answer[] }>('query', { query, time: String(at / 1000) });
    return result.map(({ metric, value, histogram }) => ({
      labels: metric,
      value: Number(value?.[1] ?? histogram?.[1].count),
    }));
  }

  /** The values that a label has on the series of a selector. */
  labelValues(label: string, selector: string): Promise<string[]> {
    return this.#ask(`label/${label}/values`, { 'match[]': selector });
  }

  /** What is wrong with the rules, as Prometheus evaluates them. */
  async ruleErrors(): Promise<string[]> {
    const { groups } = await this.#ask<{ groups: { rules: EvaluatedRule[] }[] }>('rules', {});
    const rules = groups.flatMap(({ rules }) => rules);
    return rules
      .filter(({ health }) => health !== 'ok')
      .map(({ name, lastError }) => `${name}: ${lastError}`);
  }

  async #ask<T>(path: string, parameters: Record<string, string>): Promise<T> {
    const response = await fetch(`${this.#api}/${path}?${new URLSearchParams(parameters)}`);
    const answer = (await response.json()) as { status: string; error?: string; data: T };
    if (answer.status !== 'success') throw new Error(`${answer.error}: ${Object.values(parameters)[0]}`);
    return answer.data;
  }
}

interface Answer {
  readonly metric: Record<string, string>;
  readonly value?: [time: number, value: string];
  readonly histogram?: [time: number, histogram: { readonly count: string }];
}

interface EvaluatedRule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

/**
 * @param target the demo's metrics: host and port
 * @param alertmanager host and port
 * @param timing of the rules
 */
export async function startPrometheus(
  servers: Servers,
  { target, alertmanager, timing }: { target: string; alertmanager: string; timing: Timing },
): Promise<Prometheus> {
  const removeUnits = {
    source_labels: ['__name__'],
    regex: '(paperclip_.*)_(?:seconds|bytes)(_bucket|_count|_sum|_total)',
    target_label: '__name__',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Prometheus fills this in.
    replacement: '${1}${2}',
  };
  const scrape = (job: string, relabelling: object[]) => ({
    job_name: job,
    static_configs: [{ targets: [target], labels: { instance: job } }],
    metric_relabel_configs: relabelling,
  });
  const config = {
    global: { scrape_interval: `${RESOLUTION}s`, evaluation_interval: `${RESOLUTION}s` },
    rule_files: ['paperclip.rules.yml'],
    scrape_configs: [scrape(WITH_UNITS, []), scrape(WITHOUT_UNITS, [removeUnits])],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
  };
  const configFile = join(servers.folder, 'prometheus.yml');
  writeFileSync(configFile, JSON.stringify(config));
  writeFileSync(join(servers.folder, 'paperclip.rules.yml'), prometheusRules(timing));
  const address = `127.0.0.1:${await freePort()}`;
  const started = servers.start(findProgram(['prometheus'], 'prometheus'), [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${join(servers.folder, 'prometheus')}`,
    `--web.listen-address=${address}`,
    '--log.level=warn',
  ]);
  await answering(started, `http://${address}/-/ready`);
  return new Prometheus(`http://${address}`);
}
