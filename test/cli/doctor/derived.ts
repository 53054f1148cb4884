/** Holds what is derived from variables against what the real `NodeSDK` builds of them. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect } from 'vitest';
import { exportersOfSdk } from '../../../src/cli/doctor/which-sdk.js';
import { type Exporter, exportersOf, SIGNALS } from '../../../src/cli/otel/exporters.js';
import type { Env } from './follow.js';

const BUILT = fileURLToPath(new URL('built.mjs', import.meta.url));

const protocols = ['grpc', 'http/json', 'http/protobuf', ' grpc ', 'http', 'GRPC', ' '];
const endpoints = [
  'http://collector:4318',
  'https://collector.example/otlp/',
  'http://collector:4317/v1/traces?tenant=one',
  'collector:4317',
  '10.0.0.1:4318',
  ' http://collector:4318 ',
  '',
];
const names = ['otlp', 'console', 'none', 'null', 'zipkin', 'prometheus', 'jaeger', ''];
const exporters = fc
  .array(fc.constantFrom(...names), { maxLength: 3 })
  .chain((some) => fc.constantFrom(some.join(','), some.join(' , ')));

const settings = (signal: string) => ({
  [`OTEL_EXPORTER_OTLP_${signal}PROTOCOL`]: fc.constantFrom(...protocols),
  [`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`]: fc.constantFrom(...endpoints),
  [`OTEL_EXPORTER_OTLP_${signal}INSECURE`]: fc.constantFrom('true', ' TRUE', 'false', '1'),
});
const environments: fc.Arbitrary<Env> = fc.record(
  {
    ...Object.assign({}, ...['', 'TRACES_', 'METRICS_', 'LOGS_'].map(settings)),
    OTEL_TRACES_EXPORTER: exporters,
    OTEL_METRICS_EXPORTER: exporters,
    OTEL_LOGS_EXPORTER: exporters,
    OTEL_EXPORTER_ZIPKIN_ENDPOINT: fc.constantFrom('http://zipkin:9411/api/v2/spans', ' '),
    OTEL_EXPORTER_PROMETHEUS_PORT: fc.constantFrom('0', '9999', 'x', ''),
    OTEL_EXPORTER_PROMETHEUS_HOST: fc.constantFrom('localhost', '127.0.0.1'),
  },
  // The lines of 2.x and 3.x differ in the default.
  { requiredKeys: ['OTEL_EXPORTER_PROMETHEUS_HOST'] },
);

/**
 * @param from a file beside whose `node_modules` the SDK is
 * @param node the Node.js that the SDK asks for
 * @param count of environments
 */
export function expectDerived(from: string, node: string, count: number): void {
  const envs = fc.sample(environments, { numRuns: count, seed: 1 });
  expectAlike(envs, build([from], node, envs), (env) =>
    SIGNALS.flatMap((signal) => exportersOf(env, signal)),
  );
}

/** The same for Paperclip's own SDK, which it gives an exporter of traces over gRPC. */
export function expectOwnDerived(from: string, node: string, count: number): void {
  const own = environments.filter(
    ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }) => endpoint !== undefined && endpoint !== '',
  );
  const envs = fc.sample(own, { numRuns: count, seed: 1 });
  expectAlike(envs, build([from, 'own'], node, envs), (env) => {
    const given = { package: '', protocol: 'grpc', url: env.OTEL_EXPORTER_OTLP_ENDPOINT } as const;
    return exportersOfSdk({ by: 'Paperclip', from: '', version: undefined, given }, env);
  });
}

type Built = Record<string, { type: string }[]>;

function expectAlike(
  envs: readonly Env[],
  all: readonly Built[],
  derive: (env: Env) => readonly Exporter[],
): void {
  expect(all.length).toBe(envs.length);
  for (const [n, built] of all.entries()) {
    const derived: Built = { traces: [], metrics: [], logs: [] };
    for (const { signal, ...exporter } of derive(envs[n] ?? {}))
      derived[signal]?.push({ ...exporter, ...(exporter.type === 'otlp' && { endpointBy: undefined }) });
    for (const some of [...Object.values(built), ...Object.values(derived)]) some.sort(byType);
    expect({ env: envs[n], exporters: derived }).toEqual({ env: envs[n], exporters: built });
  }
}

/** What the real SDK builds, for each environment. */
function build(args: readonly string[], node: string, envs: readonly Env[]): Built[] {
  const input = JSON.stringify(envs);
  const { stdout, stderr } = spawnSync(node, [BUILT, ...args], { encoding: 'utf8', input });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const byType = (one: { type: string }, other: { type: string }) => (one.type < other.type ? -1 : 1);
