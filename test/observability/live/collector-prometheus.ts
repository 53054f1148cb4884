/** A Prometheus that gets what servers send to a Collector, in either way. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Timing } from '../../../observability/src/limits.js';
import { prometheusRules } from '../../../observability/src/rules/prometheus.js';
import { type Collector, GATEWAY_CONFIG, STACK_CONFIG, startCollector } from './collector.js';
import { address } from './jaeger.js';
import { answering, type Servers } from './processes.js';
import { findProgram } from './programs.js';
import { Prometheus } from './prometheus.js';

const SCRAPES = fileURLToPath(new URL('../../../examples/stack/prometheus.yml', import.meta.url));
/** The stack's scrape that is about the Collector, and where the Collector is for it. */
const SCRAPE = { job: 'collector', target: 'collector:8889' };

/** The ways of metrics from a Collector into Prometheus, by the example that has them. */
export const WAYS = ['stack', 'fleet'] as const;
export type Way = (typeof WAYS)[number];

/** What a way consists of. */
export interface Connected {
  readonly collector: Collector;
  readonly prometheus: Prometheus;
}

/**
 * Starts a Collector and a Prometheus: with `stack` the latter scrapes the former, as `examples/stack` has it;
 * with `fleet` the former writes to the latter.
 *
 * @param program the Collector's
 * @param timing of the rules
 */
export async function connect(
  servers: Servers,
  program: string,
  way: Way,
  timing: Timing,
): Promise<Connected> {
  const listen = await address();
  const collector = await startCollector(servers, program, way === 'stack' ? STACK_CONFIG : GATEWAY_CONFIG, {
    REMOTE_WRITE_URL: `http://${listen}/api/v1/write`,
  });
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['paperclip.rules.yml'],
    scrape_configs: way === 'stack' ? [scrapeOf(collector)] : [],
  };
  const file = join(servers.folder, 'prometheus.yml');
  writeFileSync(file, JSON.stringify(config));
  writeFileSync(join(servers.folder, 'paperclip.rules.yml'), prometheusRules(timing));
  const started = servers.start(findProgram(['prometheus'], 'prometheus'), [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(servers.folder, 'prometheus')}`,
    `--web.listen-address=${listen}`,
    '--web.enable-remote-write-receiver',
    '--log.level=warn',
  ]);
  await answering(started, `http://${listen}/-/ready`);
  return { collector, prometheus: new Prometheus(`http://${listen}`) };
}

/** The stack's own scrape, with the address of this Collector. */
function scrapeOf({ prometheus }: Collector): object {
  const { scrape_configs } = parse(readFileSync(SCRAPES, 'utf8')) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  const scrape = scrape_configs.find(({ job_name }) => job_name === SCRAPE.job);
  const [targets] = scrape?.static_configs ?? [];
  if (targets?.targets[0] !== SCRAPE.target) throw new Error(`${SCRAPES} does not scrape ${SCRAPE.target}`);
  return { ...scrape, static_configs: [{ ...targets, targets: [prometheus] }] };
}
