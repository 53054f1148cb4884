import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DASHBOARDS } from '../../observability/src/dashboards/index.js';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../../src/version.js';

const GENERATED = 'observability/generated';
const EXAMPLE = 'examples/kubernetes';

const read = (...path: string[]) => parse(readFileSync(join(...path), 'utf8'));

describe(GENERATED, () => {
  const { resources, configMapGenerator } = read(GENERATED, 'kustomization.yml') as {
    resources: string[];
    configMapGenerator: { files: string[]; options: { labels: Record<string, string> } }[];
  };

  it('has the rules of Prometheus for the Prometheus operator', () => {
    expect(resources).toEqual(['kubernetes/prometheus-rule.yml']);
    const { spec } = read(GENERATED, 'kubernetes/prometheus-rule.yml');
    expect(spec).toEqual(read(GENERATED, 'prometheus/paperclip.rules.yml'));
  });

  it('has no group that Mimir refuses for its size', () => {
    const { groups } = read(GENERATED, 'prometheus/paperclip.rules.yml') as {
      groups: { name: string; rules: unknown[] }[];
    };
    expect(groups.filter(({ rules }) => rules.length > 20)).toEqual([]);
    expect(groups.at(-1)?.name).toBe('paperclip-alerts');
  });

  it("has each dashboard for Grafana's sidecar, small enough for kubectl apply", () => {
    expect(configMapGenerator.map(({ files }) => files)).toEqual(
      DASHBOARDS.map(({ uid }) => [`dashboards/${uid}.json`]),
    );
    for (const { files, options } of configMapGenerator) {
      expect(options.labels).toEqual({ grafana_dashboard: '1' });
      // What kubectl remembers of an object must stay below 256 KiB: the text in JSON, and that as a text again.
      const text = files.map((file) => readFileSync(join(GENERATED, file), 'utf8')).join('');
      expect(JSON.stringify(JSON.stringify(text)).length).toBeLessThan(256 * 1024);
    }
  });
});

describe(EXAMPLE, () => {
  const { patches } = read(EXAMPLE, 'opentelemetry/kustomization.yml') as {
    patches: { path: string; target: { kind: string; name: string } }[];
  };
  const deployment = read(EXAMPLE, 'paperclip.yml');
  const { initContainers, containers, volumes } = read(EXAMPLE, 'opentelemetry/deployment.patch.yml').spec
    .template.spec;
  const env: { name: string; value?: string }[] = containers[0].env;

  it('refers to files and folders that are there', () => {
    const { resources, components } = read(EXAMPLE, 'kustomization.yml');
    const paths = [...resources, ...components, ...patches.map(({ path }) => join('opentelemetry', path))];
    expect(paths.filter((path: string) => !existsSync(join(EXAMPLE, path)))).toEqual([]);
  });

  it('patches the deployment and the container that are there', () => {
    expect(patches.map(({ target }) => target)).toEqual([
      { kind: deployment.kind, name: deployment.metadata.name },
    ]);
    expect(containers[0].name).toBe(deployment.spec.template.spec.containers[0].name);
  });

  it('sets the variables that every other way of running Paperclip sets, to the same preload and paths', () => {
    const lines = readFileSync('examples/paperclip-server/otel.env', 'utf8').match(/^\w+=.*$/gm) ?? [];
    const expected = lines.map((line) =>
      line.replace('http://localhost:', 'http://opentelemetry-collector.observability:'),
    );
    const actual = env.map(({ name, value }) => `${name}=${value}`);
    expect(expected.length).toBe(4);
    expect(actual).toEqual(expect.arrayContaining(expected));
  });

  it('makes service.instance.id of what is known by then', () => {
    const index = env.findIndex(({ name }) => name === 'OTEL_RESOURCE_ATTRIBUTES');
    const value = env[index]?.value ?? '';
    expect(value).toMatch(/(^|,)service\.instance\.id=\$\(POD_UID\)(,|$)/);
    // Kubernetes leaves a variable that stands further down as it is.
    const before = env.slice(0, index).map(({ name }) => name);
    const used = [...value.matchAll(/\$\((\w+)\)/g)].map(([, name]) => name ?? '');
    expect(used.filter((name) => !before.includes(name))).toEqual([]);
  });

  it('installs this version of the package and of the SDK it is tested with where the preload is looked for', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const sdk = '@opentelemetry/sdk-node';
    const command: string[] = initContainers[0].command;
    expect(command).toContain(`${PACKAGE_NAME}@${PACKAGE_VERSION}`);
    expect(command).toContain(`${sdk}@${devDependencies[sdk].replace('^', '')}`);
    const folder = '/opt/paperclip-otel';
    expect(command).toContain(`--prefix=${folder}`);
    for (const container of [initContainers[0], containers[0]]) {
      expect(container.volumeMounts[0]).toMatchObject({ name: volumes[0].name, mountPath: folder });
    }
    const options = env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
    expect(options).toBe(`--import=${folder}/node_modules/${PACKAGE_NAME}/dist/start.js`);
  });
});
