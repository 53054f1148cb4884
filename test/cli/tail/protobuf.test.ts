/** Bytes of OpenTelemetry's own encoders, and what they turn into. */
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { readMetrics, readTraces } from '../../../src/cli/tail/otlp.js';
import { decode } from '../../../src/cli/tail/protobuf.js';
import { Session } from '../../../src/cli/tail/session.js';
import { environment, incompleteLease, makeDriver, nonPluginLease, on } from '../../support/host.js';
import { TestTelemetry } from '../../support/telemetry.js';

interface Encoded {
  protobuf: Uint8Array;
  json: Uint8Array;
}

let spans: Encoded;
let points: Encoded;
beforeAll(async () => {
  const telemetry = new TestTelemetry();
  const driver = telemetry.instrument().instrumentDriver(makeDriver());
  await driver.openDuplexChannel(on(nonPluginLease)).catch(() => {});
  await driver.execute(on(nonPluginLease));
  await driver.openDuplexChannel(on(incompleteLease)).catch(() => {});
  await driver.acquireRunLease({ environment, companyId: 'company-1', issueId: 'issue-1' });
  await driver.openDuplexChannel(on());
  const { resourceMetrics } = await telemetry.reader.collect();
  spans = {
    protobuf: ProtobufTraceSerializer.serializeRequest(telemetry.spans()) as Uint8Array,
    json: JsonTraceSerializer.serializeRequest(telemetry.spans()) as Uint8Array,
  };
  points = {
    protobuf: ProtobufMetricsSerializer.serializeRequest(resourceMetrics) as Uint8Array,
    json: JsonMetricsSerializer.serializeRequest(resourceMetrics) as Uint8Array,
  };
});

const jsonOf = ({ json }: Encoded) => JSON.parse(Buffer.from(json).toString());

it('both encodings of spans are read alike', () => {
  const read = readTraces(decode('ExportTraceServiceRequest', spans.protobuf));
  expect(read).toEqual(readTraces(jsonOf(spans)));
  const [refused, fallback, lacking, ...others] = read.operations;
  expect(refused).toMatchObject({ name: 'open_duplex_channel', errorType: 'unsupported-driver-operation' });
  expect(fallback).toMatchObject({ exitCode: 3, recovery: { kind: 'fallback', from: [refused?.id] } });
  expect(lacking?.missingFields).toEqual(['metadata.pluginId', 'metadata.provider', 'providerLeaseId']);
  expect(others.map(({ recovery }) => recovery)).toEqual([
    { kind: 'reacquire', from: [lacking?.id] },
    { kind: 'reacquire', from: [lacking?.id] },
  ]);
});

it('both encodings of metrics are read alike', () => {
  const read = readMetrics(decode('ExportMetricsServiceRequest', points.protobuf));
  expect(read).toEqual(readMetrics(jsonOf(points)));
  expect(read.points.map(({ metric, value }) => `${metric} ${value}`)).toEqual(
    expect.arrayContaining(['paperclip.duplex.requests 1', 'paperclip.lease.reacquires 1']),
  );
});

it('whole numbers, which OpenTelemetry JS does not send, are read as well', () => {
  const field = (number: number, body: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, body.length]), body]);
  // The field 6 with 8 bytes.
  const point = Buffer.from([(6 << 3) | 1, 5, 0, 0, 0, 0, 0, 0, 0]);
  const metric = Buffer.concat([field(1, Buffer.from('name')), field(7, field(1, point))]);
  const request = field(1, field(2, field(2, metric)));
  expect(decode('ExportMetricsServiceRequest', request)).toEqual({
    resourceMetrics: [
      { scopeMetrics: [{ metrics: [{ name: 'name', sum: { dataPoints: [{ asInt: '5' }] } }] }] },
    ],
  });
});

/** A few bytes changed, left out or put in. */
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  remove: fc.integer({ min: 0, max: 9 }),
  insert: fc.uint8Array({ maxLength: 9 }),
});

function mutate(bytes: Uint8Array, mutations: { at: number; remove: number; insert: Uint8Array }[]): Buffer {
  return mutations.reduce((changed, { at, remove, insert }) => {
    const position = Math.floor(at * changed.length);
    return Buffer.concat([changed.subarray(0, position), insert, changed.subarray(position + remove)]);
  }, Buffer.from(bytes));
}

it('of mutated bytes, some are refused, and what is not is read without an error', () => {
  const session = new Session();
  let refused = 0;
  let read = 0;
  const decoded = (...args: Parameters<typeof decode>) => {
    try {
      return decode(...args);
    } catch {
      refused += 1;
      return undefined;
    }
  };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 5 }), (mutations) => {
      const traces = decoded('ExportTraceServiceRequest', mutate(spans.protobuf, mutations));
      const metrics = decoded('ExportMetricsServiceRequest', mutate(points.protobuf, mutations));
      if (traces !== undefined) session.takeTraces(traces);
      if (metrics !== undefined) session.takeMetrics(metrics);
      read += [traces, metrics].filter((request) => request !== undefined).length;
    }),
    { numRuns: 3_000 },
  );
  expect(refused).toBeGreaterThan(0);
  expect(read).toBeGreaterThan(0);
});
