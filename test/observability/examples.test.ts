import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { labelName } from '../../observability/src/names.js';
import { DATASOURCE_UID } from '../../observability/src/rules/grafana.js';
import * as semconv from '../../src/semconv.js';
import { METRICS, patternsOf } from './support.js';

const EXAMPLES = readdirSync('examples', { recursive: true, encoding: 'utf8' }).map((path) =>
  join('examples', path),
);
const YAML = EXAMPLES.filter((path) => /\.ya?ml$/.test(path));
const ATTRIBUTES = new Set<unknown>(Object.values(semconv).filter((value) => typeof value === 'string'));

interface Service {
  readonly image: string;
  readonly command?: string[];
  readonly environment?: Record<string, string>;
  readonly volumes?: string[];
  readonly network_mode?: string;
}

/** Replaces variables that have a default: `${NAME:-default}` and the Collector's `${env:NAME:-default}`. */
const withDefaults = (text: string) => text.replaceAll(/\$\{(?:env:)?\w+:-([^}]*)\}/g, '$1');
const read = (path: string) => parse(withDefaults(readFileSync(path, 'utf8')));

const { services, volumes } = read('examples/stack/compose.yaml') as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};

/** Where a service finds which files: path in the container, and in this repository. */
function mounts(service: string): Map<string, string> {
  const pairs = (services[service]?.volumes ?? []).map((volume) => volume.split(':'));
  return new Map(
    pairs.map(([source = '', target = '']) => [
      target,
      source.startsWith('.') ? join('examples/stack', source) : source,
    ]),
  );
}

it.each(YAML)('%s can be read', (path) => {
  const problems = parseAllDocuments(readFileSync(path, 'utf8')).flatMap(({ errors, warnings }) => [
    ...errors,
    ...warnings,
  ]);
  expect(problems).toEqual([]);
});

it('images have versions, so that what has been tried is what runs', () => {
  const images = YAML.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bimage: *(\S+)/g)].map(([, image]) => image),
  );
  expect(images.length).toBeGreaterThan(7);
  expect(images.filter((image) => !/:v?\d+\.\d+\.\d+(-[a-z-]+)?$/.test(image ?? ''))).toEqual([]);
});

describe('examples/stack', () => {
  const scrapeOf = (job: string) =>
    read('examples/stack/prometheus.yml').scrape_configs.find(
      ({ job_name }: { job_name: string }) => job_name === job,
    );

  it.each(Object.keys(services))('%s mounts what is there', (service) => {
    for (const source of mounts(service).values()) {
      expect(source in volumes || existsSync(source), source).toBe(true);
    }
  });

  it('Prometheus finds the rules', () => {
    const { rule_files } = read('examples/stack/prometheus.yml');
    const paths = (rule_files as string[]).map((path) => {
      const folder = mounts('prometheus').get(join('/etc/prometheus', dirname(path))) ?? '';
      return join(folder, basename(path));
    });
    expect(paths).toEqual(['observability/generated/prometheus/paperclip.rules.yml']);
  });

  it('every address is that of a service', () => {
    const texts = ['prometheus.yml', 'datasources.yml', 'collector.yaml'].map((name) =>
      withDefaults(readFileSync(join('examples/stack', name), 'utf8')),
    );
    const hosts = texts.flatMap((text) =>
      [...text.matchAll(/([a-z][a-z-]*):\d{4,5}\b/g)].map(([, host]) => host),
    );
    expect(hosts.length).toBeGreaterThan(5);
    expect(hosts.filter((host) => !((host ?? '') in services))).toEqual([]);
  });

  it("Prometheus scrapes the Collector's metrics with the servers' job and instance", () => {
    const { exporters } = read('examples/stack/collector.yaml');
    const port = exporters.prometheus.endpoint.split(':').pop();
    expect(scrapeOf('collector')).toMatchObject({
      honor_labels: true,
      static_configs: [{ targets: [`collector:${port}`] }],
    });
  });

  it("Prometheus has the Collector's own metrics, which a runbook asks for", () => {
    const { telemetry } = read('examples/stack/collector.yaml').service;
    const { port } = telemetry.metrics.readers[0].pull.exporter.prometheus;
    expect(scrapeOf('collector-itself')).toMatchObject({
      static_configs: [{ targets: [`collector:${port}`] }],
    });
  });

  it('the Collector and Jaeger are those that the tests build and run', () => {
    const folder = 'test/observability/live/collector';
    const manifest = readFileSync(join(folder, 'builder.yaml'), 'utf8');
    const [, jaeger] =
      /\bJAEGER = \{[^}]* version: 'v([\d.]+)'/.exec(readFileSync(join(folder, 'build.mjs'), 'utf8')) ?? [];
    expect(services.collector?.image.split(':')[1]).toBe(parse(manifest).dist.version);
    expect(services.jaeger?.image.split(':')[1]).toBe(jaeger);
  });

  it('the demo is scraped where it listens', () => {
    expect(scrapeOf('paperclip-demo')).toMatchObject({ static_configs: [{ targets: ['127.0.0.1:9464'] }] });
    expect(services.demo?.network_mode).toBe('service:prometheus');
    expect(existsSync(services.demo?.command?.[1] ?? '')).toBe(true);
  });

  it("the demo's traces go where the Collector takes OTLP over HTTP", () => {
    const { http } = read('examples/stack/collector.yaml').receivers.otlp.protocols;
    const port = withDefaults(http.endpoint).split(':').pop();
    expect(services.demo?.command?.slice(-2)).toEqual(['--otlp', `http://collector:${port}`]);
  });

  it('Prometheus scrapes sql_exporter as the generated file has it', () => {
    const [generated] = read('observability/generated/lease-inventory/prometheus.yml').scrape_configs;
    expect(scrapeOf('paperclip-database')).toEqual({
      ...generated,
      static_configs: [{ targets: ['sql-exporter:9237'] }],
    });
  });

  it('the Collector keeps its own configuration where it asks for leases, too', () => {
    const { collector } = read('examples/stack/compose.leases.yaml').services;
    expect(collector.command.slice(0, 1)).toEqual(services.collector?.command);
    const [mount = ''] = collector.volumes as string[];
    const [source = '', target = ''] = mount.split(':');
    expect(collector.command[1]).toBe(`--config=${target}`);
    const leases = read(join('examples/stack', source));
    const { exporters, ...own } = read('examples/stack/collector.yaml');
    // Collectors merge configurations by key: nothing of the first may be replaced.
    const replaced = ['receivers', 'processors'].flatMap((kind) =>
      Object.keys(leases[kind]).filter((name) => name in own[kind]),
    );
    const pipelines = Object.entries(leases.service.pipelines) as [string, { exporters: string[] }][];
    expect([...replaced, ...pipelines.filter(([name]) => name in own.service.pipelines)]).toEqual([]);
    expect(pipelines.flatMap((pipeline) => pipeline[1].exporters)).toEqual(['prometheus']);
    expect(exporters.prometheus).toBeDefined();
  });

  it('Grafana begins with a dashboard, and finds the others', () => {
    const grafana = mounts('grafana');
    const [provider] = read(
      join(grafana.get('/etc/grafana/provisioning/dashboards') ?? '', 'paperclip.yml'),
    ).providers;
    const home = services.grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
    expect(dirname(home)).toBe(provider.options.path);
    expect(existsSync(join(grafana.get(provider.options.path) ?? '', basename(home)))).toBe(true);
  });

  it('alerts come from Prometheus alone', () => {
    expect([...mounts('grafana').keys()].filter((path) => path.includes('alerting'))).toEqual([]);
  });
});

describe('the data sources', () => {
  const sources: { uid: string; jsonData: Record<string, unknown> }[] = read(
    'examples/stack/datasources.yml',
  ).datasources;
  const uids = sources.map(({ uid }) => uid);
  const jaeger = sources.find(({ uid }) => uid === 'jaeger')?.jsonData.tracesToMetrics as {
    tags: { key: string; value: string }[];
    queries: { query: string }[];
  };

  it("have the uids that provisioned alerts and the sources' own links go by", () => {
    expect(uids).toContain(DATASOURCE_UID);
    const named = [...JSON.stringify(sources).matchAll(/"datasourceUid":"([^"]+)"/g)].map(([, uid]) => uid);
    expect(named.length).toBe(2);
    expect(named.filter((uid) => !uids.includes(uid ?? ''))).toEqual([]);
  });

  it('lead from a span to metrics that exist, by labels that they have', () => {
    expect(jaeger.tags.map(({ key }) => ATTRIBUTES.has(key))).toEqual(jaeger.tags.map(() => true));
    expect(jaeger.tags.map(({ value }) => value)).toEqual(jaeger.tags.map(({ key }) => labelName(key)));
    const patterns = METRICS.flatMap(patternsOf).map((pattern) => `{__name__=~"${pattern}", `);
    for (const { query } of jaeger.queries) {
      expect(patterns.some((pattern) => query.includes(pattern))).toBe(true);
      // Grafana replaces a single dollar by a variable of its environment, which is empty.
      expect(query).toMatch(/[^$]\$\$__tags\}/);
    }
  });
});

describe('the receiver', () => {
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill();
  });

  it("is where Alertmanager's configuration looks for one", () => {
    const { receivers } = read('observability/alertmanager.yml') as {
      receivers: { webhook_configs: { url: string }[] }[];
    };
    const urls = receivers.flatMap(({ webhook_configs }) =>
      webhook_configs.map(({ url }) => new URL(url).host),
    );
    expect(new Set(urls)).toEqual(new Set(['127.0.0.1:8080']));
    expect(services.receiver?.network_mode).toBe('service:alertmanager');
    // Its default.
    expect(services.receiver?.command).toEqual(['node', '/receiver.mjs']);
    expect(readFileSync('examples/stack/receiver.mjs', 'utf8')).toContain("8080), '127.0.0.1'");
  });

  it('prints alerts, and refuses what is none', async () => {
    const child = spawn(process.execPath, ['examples/stack/receiver.mjs', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    const lines: string[] = [];
    const input = createInterface(child.stdout).on('line', (line) => lines.push(line));
    await once(input, 'line');
    const url = lines[0]?.replace('waiting for alerts at ', '') ?? '';
    const post = async (body: string) => (await fetch(`${url}/alerts`, { method: 'POST', body })).status;
    const alert = {
      status: 'resolved',
      labels: { alertname: 'PaperclipHighFallbackRate', severity: 'warning' },
      annotations: { summary: 'Agents fall back', runbook_url: 'https://example.test/runbook.md' },
    };
    expect(await post('no JSON')).toBe(400);
    const printed = once(input, 'line');
    expect(await post(JSON.stringify({ receiver: 'operators', alerts: [alert] }))).toBe(200);
    await printed;
    expect(lines[1]).toBe('resolved, to operators: warning PaperclipHighFallbackRate: Agents fall back');
  });
});

describe('examples/fleet', () => {
  it('the gateway keeps traces by attributes that spans have', () => {
    const text = readFileSync('examples/fleet/gateway.yaml', 'utf8');
    const used = [...text.matchAll(/attributes\["([^"]+)"\]/g)].map(([, name]) => name ?? '');
    expect(used).toContain(semconv.ATTR_PAPERCLIP_ERROR_BACKGROUND_TAG);
    expect(used.filter((name) => !ATTRIBUTES.has(name))).toEqual([]);
  });

  it('both ways for metrics lead to the same Mimir', () => {
    const { exporters } = read('examples/fleet/gateway.yaml');
    const { remote_write } = read('examples/fleet/prometheus.yml');
    expect(remote_write).toEqual([{ url: exporters.prometheus_remote_write.endpoint }]);
  });
});
