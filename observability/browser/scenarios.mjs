// @ts-check
/**
 * What Prometheus would have scraped from Paperclip's servers in four situations, made up: hours of traffic in seconds.
 * The counters are those that the package keeps; numbers are drawn with a fixed seed.
 */
import * as semconv from '../../dist/semconv.js';

/**
 * @typedef {object} Scenario
 * @property {number} servers
 * @property {number} hours that are shown
 * @property {number} before hours before that, so that counters and windows do not begin where it begins
 * @property {number} every how many seconds between two scrapes
 * @property {number} perHour runs of agents on each server
 * @property {{ from: number, to: number }} [trouble] hours before the end
 * @property {number} [deployed] hours before the end
 */

/** @type {Readonly<Record<string, Scenario>>} */
export const SCENARIOS = {
  calm: { servers: 1, hours: 6, before: 1, every: 60, perHour: 90 },
  incident: {
    servers: 2,
    hours: 6,
    before: 1,
    every: 60,
    perHour: 90,
    deployed: 2.1,
    trouble: { from: 2, to: 1 },
  },
  low: { servers: 1, hours: 6, before: 12, every: 60, perHour: 4, trouble: { from: 6, to: 0 } },
  fleet: {
    servers: 50,
    hours: 1,
    before: 1,
    every: 60,
    perHour: 6,
    deployed: 0.6,
    trouble: { from: 0.5, to: 0.2 },
  },
};

const SANDBOX = 'sandbox';
/** @type {readonly { driver: string, provider?: string, weight: number }[]} */
const ENVIRONMENTS = [
  { driver: SANDBOX, provider: 'daytona', weight: 3 },
  { driver: SANDBOX, provider: 'e2b', weight: 3 },
  { driver: SANDBOX, provider: 'kubernetes', weight: 2 },
  { driver: SANDBOX, provider: '_OTHER', weight: 1 },
  { driver: 'local', weight: 1 },
];
const LOTTERY = ENVIRONMENTS.flatMap((each) => Array.from({ length: each.weight }, () => each));
/** The provider that is in trouble. */
const CULPRIT = 'e2b';
/** Median seconds of each operation. */
const SECONDS = {
  acquire_run_lease: 4,
  realize_workspace: 0.8,
  sync_in: 1.5,
  execute: 12,
  open_duplex_channel: 0.3,
  sync_out: 0.9,
  release_run_lease: 0.6,
};

/** @param {number} seed */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {string} name */
const label = (name) => name.replaceAll('.', '_');

/** What one server has counted since it started. */
class Counters {
  /** @type {Map<string, number>} */
  values = new Map();

  /** @param {string} labels those of the scrape */
  constructor(labels) {
    this.labels = labels;
  }

  /**
   * @param {string} name
   * @param {Readonly<Record<string, string | undefined>>} attributes
   * @param {number} [by]
   */
  add(name, attributes, by = 1) {
    const labels = Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined ? [] : `${label(key)}="${value}"`,
    );
    const key = `${name}{${[this.labels, ...labels].join(',')}}`;
    this.values.set(key, (this.values.get(key) ?? 0) + by);
  }

  /**
   * @param {semconv.MetricDefinition} metric
   * @param {Readonly<Record<string, string | undefined>>} attributes
   * @param {number} value
   */
  observe(metric, attributes, value) {
    const name = `${label(metric.name)}_seconds`;
    for (const bound of metric.boundaries ?? [])
      this.add(`${name}_bucket`, { ...attributes, le: String(bound) }, value <= bound ? 1 : 0);
    this.add(`${name}_bucket`, { ...attributes, le: '+Inf' });
    this.add(`${name}_count`, attributes);
    this.add(`${name}_sum`, attributes, value);
  }

  /**
   * @param {semconv.MetricDefinition} metric
   * @param {Readonly<Record<string, string | undefined>>} attributes
   * @param {number} [by]
   */
  count(metric, attributes, by) {
    const unit = metric.unit === 'By' ? '_bytes' : '';
    this.add(
      `${label(metric.name)}${unit}${metric.instrument === 'counter' ? '_total' : ''}`,
      attributes,
      by,
    );
  }
}

/** One run of an agent: what it does, and what becomes of it. */
class Run {
  /**
   * @param {Counters} counters
   * @param {() => number} random
   * @param {boolean} isTrouble
   */
  constructor(counters, random, isTrouble) {
    this.counters = counters;
    this.random = random;
    const environment = LOTTERY[Math.floor(random() * LOTTERY.length)];
    this.driver = environment?.driver ?? 'local';
    this.provider = environment?.provider;
    this.isTrouble = isTrouble && this.provider === CULPRIT;
  }

  /** @param {number} share */
  chance(share) {
    return this.random() < share;
  }

  /**
   * @param {keyof typeof SECONDS} name
   * @param {{ error?: string, shape?: string, outcome?: string }} [result]
   */
  operation(name, { error, shape, outcome } = {}) {
    const noise = Math.exp(1.2 * (this.random() + this.random() - 1));
    this.counters.observe(
      semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_DURATION,
      {
        [semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: name,
        [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: this.driver,
        [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.provider,
        [semconv.ATTR_PAPERCLIP_LEASE_SHAPE]: shape ?? (this.provider ? 'plugin_complete' : 'non_plugin'),
        [semconv.ATTR_ERROR_TYPE]: error,
        [semconv.ATTR_PAPERCLIP_LEASE_ACQUISITION_OUTCOME]: outcome,
      },
      SECONDS[name] * noise,
    );
  }

  /**
   * @param {string} outcome
   * @param {{ reason?: string, error?: string }} [why]
   */
  request(outcome, { reason, error } = {}) {
    this.counters.count(semconv.METRIC_PAPERCLIP_DUPLEX_REQUESTS, {
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.provider,
      [semconv.ATTR_PAPERCLIP_DUPLEX_OUTCOME]: outcome,
      [semconv.ATTR_PAPERCLIP_DUPLEX_FALLBACK_REASON]: reason,
      [semconv.ATTR_ERROR_TYPE]: error,
    });
  }

  /** @param {string} outcome @param {number} seconds */
  reacquire(outcome, seconds) {
    const attributes = {
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.provider,
      [semconv.ATTR_PAPERCLIP_LEASE_REACQUIRE_OUTCOME]: outcome,
    };
    this.counters.count(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRES, attributes);
    this.counters.observe(semconv.METRIC_PAPERCLIP_LEASE_REACQUIRE_DURATION, attributes, seconds);
  }

  go() {
    if (this.chance(this.isTrouble ? 0.2 : 0.01)) {
      this.operation('acquire_run_lease', {
        error: this.chance(0.7) ? 'WORKER_ERROR' : 'TIMEOUT',
        shape: 'absent',
      });
      return;
    }
    const fresh = this.chance(0.6) ? 'created' : this.chance(0.9) ? 'resumed' : 'replacement';
    this.operation('acquire_run_lease', { outcome: this.provider ? fresh : undefined });
    this.operation('realize_workspace');
    this.operation('sync_in');
    this.channel();
    for (let i = 0; i < 3; i++)
      this.operation('execute', { error: this.chance(0.01) ? 'timeout' : undefined });
    this.operation('sync_out');
    this.operation('release_run_lease', { error: this.chance(0.005) ? 'lease_cleanup_failed' : undefined });
    this.counters.observe(
      semconv.METRIC_PAPERCLIP_LEASE_DURATION,
      {
        [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: this.driver,
        [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.provider,
        [semconv.ATTR_PAPERCLIP_LEASE_END]: this.chance(0.93)
          ? 'released'
          : this.chance(0.5)
            ? 'failed'
            : 'expired',
      },
      600 * Math.exp(2 * (this.random() + this.random() - 1)),
    );
  }

  channel() {
    if (!this.provider || this.chance(0.1)) return this.request('fallback', { reason: 'gate_off' });
    if (this.chance(0.02)) return this.request('cancelled');
    if (this.chance(this.isTrouble ? 0.45 : 0.03)) {
      const error = semconv.TAG_UNSUPPORTED_DRIVER_OPERATION;
      this.operation('open_duplex_channel', { error, shape: 'non_plugin' });
      if (this.chance(0.1)) return this.request('failed', { error });
      return this.request('fallback', { reason: error, error });
    }
    if (this.chance(this.isTrouble ? 0.3 : 0.03)) {
      const error = semconv.TAG_MISSING_METADATA_FIELD;
      this.operation('open_duplex_channel', { error, shape: 'plugin_incomplete' });
      if (this.chance(0.15)) {
        this.reacquire('not_attempted', 300);
        return this.request('failed', { error });
      }
      const isHelp = this.chance(this.isTrouble ? 0.4 : 0.97);
      this.reacquire(
        isHelp ? 'succeeded' : this.chance(0.5) ? 'still_incomplete' : 'acquire_failed',
        3 + 4 * this.random(),
      );
      if (!isHelp) return this.request('failed', { error });
    } else if (this.chance(0.01)) return this.request('fallback', { reason: 'ready_timeout' });
    this.operation('open_duplex_channel');
    this.request('opened');
    const provider = { [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: this.provider };
    const isLost = this.chance(0.02);
    const seconds = isLost ? 20 * this.random() : 300 * Math.exp(2 * (this.random() + this.random() - 1));
    const end = isLost ? 'transport_closed' : this.chance(0.8) ? 'exit' : 'stopped';
    this.counters.observe(
      semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_DURATION,
      { ...provider, [semconv.ATTR_PAPERCLIP_DUPLEX_CHANNEL_END]: end },
      seconds,
    );
    if (isLost)
      this.counters.count(semconv.METRIC_PAPERCLIP_DUPLEX_LOSSES, {
        ...provider,
        [semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_CLASS]: this.chance(0.5) ? 'pre_dispatch' : 'post_dispatch',
        [semconv.ATTR_PAPERCLIP_DUPLEX_LOSS_REASON]: this.chance(0.5) ? 'heartbeat_timeout' : 'provider_exit',
      });
    if (isLost && this.chance(0.2))
      this.counters.count(semconv.METRIC_PAPERCLIP_DUPLEX_SESSION_LEAKS, provider);
    for (const [direction, bytes] of [
      ['transmit', 4000],
      ['receive', 60_000],
    ])
      this.counters.count(
        semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_IO,
        { ...provider, [semconv.ATTR_NETWORK_IO_DIRECTION]: String(direction) },
        Math.round(Number(bytes) * (0.5 + this.random())),
      );
    for (let i = 0; i < 4; i++)
      this.counters.observe(
        semconv.METRIC_PAPERCLIP_DUPLEX_FORWARD_DURATION,
        { ...provider, [semconv.ATTR_PAPERCLIP_DUPLEX_FORWARD_OUTCOME]: this.chance(0.98) ? 'ok' : 'error' },
        0.08 * Math.exp(2 * (this.random() + this.random() - 1)),
      );
  }
}

/** @param {() => number} random @param {number} mean */
function poisson(random, mean) {
  let count = 0;
  for (let product = random(); product > Math.exp(-mean); product *= random()) count++;
  return count;
}

/**
 * Samples in OpenMetrics' text format, a scrape at a time.
 *
 * @param {Scenario} scenario
 * @param {number} end seconds since the epoch
 * @returns {Generator<string>}
 */
export function* openMetrics({ servers, hours, before, every, perHour, trouble, deployed }, end) {
  const random = createRandom(17);
  const start = end - 3600 * (hours + before);
  const all = Array.from({ length: servers }, (_, index) => ({
    labels: `job="paperclip",instance="paperclip-${index + 1}:9464"`,
    counters: countersOf(index),
    isNew: false,
  }));
  for (let at = start; at <= end; at += every) {
    const ago = (end - at) / 3600;
    const isTrouble = trouble !== undefined && ago <= trouble.from && ago >= trouble.to;
    let text = '';
    for (const [index, server] of all.entries()) {
      // One server after the other.
      if (deployed !== undefined && !server.isNew && ago < deployed - (index * 120) / 3600 / 4) {
        server.isNew = true;
        server.counters = countersOf(index);
      }
      const runs = poisson(random, (perHour * every) / 3600);
      for (let i = 0; i < runs; i++) new Run(server.counters, random, isTrouble).go();
      text += `up{${server.labels}} 1 ${at}\n`;
      text += `target_info{${server.labels},service_version="${server.isNew ? '2026.1117.0' : '2026.1103.0'}"} 1 ${at}\n`;
      for (const [series, value] of server.counters.values) text += `${series} ${value} ${at}\n`;
      text += gauges(server.counters.labels, random, perHour)
        .map((sample) => `${sample} ${at}\n`)
        .join('');
    }
    text += stock('job="paperclip",instance="database"', random)
      .map((sample) => `${sample} ${at}\n`)
      .join('');
    yield text;
  }
  yield '# EOF\n';
}

/** @param {number} index */
function countersOf(index) {
  return new Counters(`job="paperclip",instance="paperclip-${index + 1}:9464",otel_scope_version="0.1.0"`);
}

/** What is under way: by Little's law, as many as come in the time that one takes. @param {string} labels @param {() => number} random @param {number} perHour */
function gauges(labels, random, perHour) {
  const operations = Object.entries(SECONDS).map(([name, seconds]) => {
    const names = `${label(semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME)}="${name}",${label(semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER)}="${SANDBOX}"`;
    return `${label(semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_ACTIVE.name)}{${labels},${names}} ${poisson(random, (perHour * seconds) / 3600)}`;
  });
  const channels = ENVIRONMENTS.flatMap(({ provider }) =>
    provider
      ? `${label(semconv.METRIC_PAPERCLIP_DUPLEX_CHANNEL_ACTIVE.name)}{${labels},${label(semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER)}="${provider}"} ${poisson(random, (perHour * 300) / 3600 / 4)}`
      : [],
  );
  const oldest = Object.entries(SECONDS).map(
    ([name, seconds]) =>
      `${label(semconv.METRIC_PAPERCLIP_ENVIRONMENT_OPERATION_OLDEST.name)}_seconds{${labels},${label(semconv.ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME)}="${name}",${label(semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER)}="${SANDBOX}"} ${(seconds * random()).toFixed(3)}`,
  );
  return [...operations, ...channels, ...oldest];
}

/** Leases that are not over, as the table has them: status, policy, provider, run, how many, and the age of the oldest in seconds. */
const HELD = /** @type {const} */ ([
  ['active', 'ephemeral', 'daytona', 'live', 6, 1500],
  ['active', 'reuse_by_execution_workspace', 'kubernetes', 'live', 3, 5000],
  ['active', 'ephemeral', 'e2b', 'ended', 1, 9000],
  ['retained', 'retain_on_failure', 'e2b', 'ended', 2, 70_000],
  ['pending_cleanup', 'ephemeral', 'daytona', 'none', 1, 2000],
]);

/** @param {string} labels @param {() => number} random */
function stock(labels, random) {
  return HELD.flatMap(([status, policy, provider, run, count, age]) => {
    const attributes = Object.entries({
      [semconv.ATTR_PAPERCLIP_LEASE_STATUS]: status,
      [semconv.ATTR_PAPERCLIP_LEASE_POLICY]: policy,
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_DRIVER]: SANDBOX,
      [semconv.ATTR_PAPERCLIP_ENVIRONMENT_PROVIDER]: provider,
      [semconv.ATTR_PAPERCLIP_LEASE_RUN]: run,
    }).map(([name, value]) => `${label(name)}="${value}"`);
    const series = `{${labels},${attributes.join(',')}}`;
    return [
      `${label(semconv.METRIC_PAPERCLIP_LEASE_HELD.name)}${series} ${count + Math.round(2 * random())}`,
      `${label(semconv.METRIC_PAPERCLIP_LEASE_OLDEST.name)}_seconds${series} ${(age * (1 + random())).toFixed(0)}`,
    ];
  });
}
