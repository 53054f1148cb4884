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
    expect(all(env, 'http/json')).toEqual([
      `https://collector:4318/otlp/v1/traces http/json: set ${own}=https://collector:4318/otlp/v1/traces`,
      `https://collector:4318/v1/traces http/json: set ${own}=https://collector:4318/v1/traces`,
      'https://collector:4318/otlp http/protobuf: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf',
      `https://collector:4318 grpc: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc and ${own}=https://collector:4318`,
      `http://collector:4318/otlp http/json: set ${own}=http://collector:4318/otlp`,
      `https://collector:4317/otlp http/json: set ${own}=https://collector:4317/otlp`,
      `https://collector:4317 grpc: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc and ${own}=https://collector:4317`,
    ]);
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
