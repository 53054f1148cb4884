import { describe, expect, it } from 'vitest';
import { alternatives } from '../../../src/cli/otel/alternatives.js';
import { otlpExporter, type Protocol } from '../../../src/cli/otel/exporters.js';
import { type Env, followVariables } from './follow.js';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

const all = (env: Env, protocol: Protocol, wasRefused = false) =>
  alternatives(env, otlpExporter(env, 'traces', protocol), wasRefused).map(
    (each) => `${each.url} ${each.protocol}: ${each.remedy}`,
  );

describe('where else a collector may answer', () => {
  it('with the defaults, where nothing listens: on the port of the other protocol', () => {
    expect(all({}, 'http/protobuf', true)).toEqual([
      `http://localhost:4317/v1/traces http/protobuf: set ${ENDPOINT}=http://localhost:4317`,
      'http://localhost:4317 grpc: set OTEL_EXPORTER_OTLP_PROTOCOL=grpc',
    ]);
    expect(all({}, 'grpc', true)).toEqual([
      `http://localhost:4318 grpc: set ${ENDPOINT}=http://localhost:4318`,
      'http://localhost:4318/v1/traces http/protobuf: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    ]);
  });

  it('where something else listens: by other paths, encodings, protocols and schemes, too', () => {
    const own = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
    const env = { [own]: 'https://collector:4318/otlp', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
    const path = `change the path in ${own} to /v1/traces`;
    const grpc = 'set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc';
    expect(all(env, 'http/json')).toEqual([
      `https://collector:4318/v1/traces http/json: ${path}`,
      `https://collector:4318/v1/traces http/protobuf: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf and ${path}`,
      `https://collector:4318 grpc: ${grpc}`,
      `https://collector:4317/v1/traces http/json: change the port in ${own} to 4317 and ${path}`,
      `https://collector:4317 grpc: ${grpc} and ${own}=https://collector:4317`,
    ]);
  });

  it('with the other scheme, where nothing secret would be sent unencrypted', () => {
    const schemes = (env: Env) =>
      alternatives(env, otlpExporter(env, 'traces', 'http/protobuf'), false).flatMap(({ url, remedy }) =>
        url.includes(':4318') ? [] : [`${url}: ${remedy}`],
      );
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a' };
    expect(all({ [ENDPOINT]: 'https://collector' }, 'http/json')).toContain(
      `http://collector/v1/traces http/json: set ${ENDPOINT}=http://collector`,
    );
    expect(schemes({ [ENDPOINT]: 'https://collector', ...headers }).join()).not.toContain('http:');
    expect(schemes({ [ENDPOINT]: 'http://collector', ...headers })).toContain(
      `https://collector/v1/traces: set ${ENDPOINT}=https://collector`,
    );
  });

  it('and nothing of an endpoint goes there but scheme, host and port', () => {
    const env = {
      [ENDPOINT]: 'http://me:tok3n@collector:4318/tok3n?key=tok3n#tok3n',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tok3n@collector:4318/tok3n/v1/traces?tok3n',
    };
    for (const protocol of ['grpc', 'http/json', 'http/protobuf'] as const)
      for (const signal of ['traces', 'metrics'] as const) {
        const others = alternatives(env, otlpExporter(env, signal, protocol), false);
        expect(others.length).toBeGreaterThan(2);
        expect(JSON.stringify(others)).not.toContain('tok3n');
        for (const { url } of others) expect(url).toMatch(/^https?:\/\/collector:431[78](?:\/v1\/\w+)?$/);
      }
  });

  it('nowhere, for what is no URL', () => {
    expect(all({ [ENDPOINT]: 'unix:///socket' }, 'grpc')).toEqual([]);
    expect(all({ [ENDPOINT]: 'collector:4318' }, 'http/protobuf')).toEqual([]);
  });
});

describe('what is proposed leads there', () => {
  const protocols: Protocol[] = ['grpc', 'http/protobuf', 'http/json'];
  const environments: Env[] = [
    {},
    { [ENDPOINT]: 'http://collector:4318' },
    { [ENDPOINT]: 'http://collector:4317/' },
    { [ENDPOINT]: 'https://collector/v1/traces' },
    { [ENDPOINT]: 'http://collector:4318/otlp' },
    { [ENDPOINT]: 'collector:4317' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4317' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' },
    {
      [ENDPOINT]: 'http://other',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/otlp/v1/traces',
    },
  ];
  it.each(environments.flatMap((env) => protocols.map((protocol) => ({ env, protocol }))))(
    '%j',
    ({ env, protocol }) => {
      for (const each of alternatives(env, otlpExporter(env, 'traces', protocol), false)) {
        const followed = otlpExporter(followVariables(each.remedy, env), 'traces', each.protocol);
        expect({ remedy: each.remedy, url: followed.url }).toEqual({ remedy: each.remedy, url: each.url });
      }
    },
  );
});
