/** Bytes of OpenTelemetry's own encoders, and what they turn into. */
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { readMetrics, readTraces } from '../../../src/cli/tail/otlp.js';
import { decode } from '../../../src/cli/tail/protobuf.js';
import { Session } from '../../../src/cli/tail/session.js';
import {
  ATTR_ERROR_TYPE,
  ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
  ATTR_PROCESS_EXIT_CODE,
} from '../../../src/semconv.js';
import { PACKAGE_NAME } from '../../../src/version.js';
import { environment, incompleteLease, makeDriver, nonPluginLease, on } from '../../support/host.js';
import { TestTelemetry } from '../../support/telemetry.js';
import { field } from './requests.js';

interface Encoded {
  protobuf: Uint8Array;
  json: Uint8Array;
}

let operation: ReadableSpan;
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
  operation = telemetry.spans()[0] as ReadableSpan;
  spans = encodedSpans(telemetry.spans());
  points = {
    protobuf: ProtobufMetricsSerializer.serializeRequest(resourceMetrics) as Uint8Array,
    json: JsonMetricsSerializer.serializeRequest(resourceMetrics) as Uint8Array,
  };
});

function encodedSpans(from: ReadableSpan[]): Encoded {
  return {
    protobuf: ProtobufTraceSerializer.serializeRequest(from) as Uint8Array,
    json: JsonTraceSerializer.serializeRequest(from) as Uint8Array,
  };
}

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

/** An attribute's value, as far as both of OpenTelemetry's encodings can hold it exactly. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.array(fc.string()),
);

it('both encodings of any attributes are read alike', () => {
  const attributes = fc.dictionary(
    fc.constantFrom(
      ATTR_ERROR_TYPE,
      ATTR_PAPERCLIP_LEASE_MISSING_FIELDS,
      ATTR_PROCESS_EXIT_CODE,
      'service.name',
    ),
    value,
  );
  fc.assert(
    fc.property(attributes, attributes, (ofSpan, ofResource) => {
      const span = Object.create(operation, {
        attributes: { value: ofSpan },
        resource: { value: resourceFromAttributes(ofResource) },
      });
      const encoded = encodedSpans([span]);
      expect(readTraces(decode('ExportTraceServiceRequest', encoded.protobuf))).toEqual(
        readTraces(jsonOf(encoded)),
      );
    }),
    { numRuns: 300 },
  );
});

/** A request with one span that has these fields. */
const requestOf = (...fields: Uint8Array[]) => field(1, field(2, field(2, ...fields)));
const decodeSpan = (...fields: Uint8Array[]) => decode('ExportTraceServiceRequest', requestOf(...fields));
const hex = (bytes: string) => Buffer.from(bytes.replaceAll(' ', ''), 'hex');
const MINUS_ONE = 'ff ff ff ff ff ff ff ff ff 01';

describe('what OpenTelemetry JS does not write is read as well', () => {
  it('whole numbers of metrics', () => {
    const metric = field(2, field(1, 'name'), field(7, field(1, hex('31 fbffffffffffffff'))));
    expect(decode('ExportMetricsServiceRequest', field(1, field(2, metric)))).toEqual({
      resourceMetrics: [
        { scopeMetrics: [{ metrics: [{ name: 'name', sum: { dataPoints: [{ asInt: '-5' }] } }] }] },
      ],
    });
  });

  it.each<[string, Uint8Array[], object]>([
    ['a negative enum', [field(15, hex(`18 ${MINUS_ONE}`))], { status: { code: -1 } }],
    ['the last of a value that comes twice', [field(5, 'a'), field(5, 'b')], { name: 'b' }],
    [
      'a message in parts',
      [
        field(9, field(1, 'key'), field(2, field(1, 'text')), field(2, hex(`18 ${MINUS_ONE}`))),
        field(15),
        field(9),
        field(15, hex('18 02')),
      ],
      {
        attributes: [{ key: 'key', value: { stringValue: 'text', intValue: '-1' } }, {}],
        status: { code: 2 },
      },
    ],
    ['text that is not UTF-8', [field(5, hex('61 ff'))], { name: 'a\uFFFD' }],
    [
      'a known field behind unknown ones',
      [
        hex(`b006 ${MINUS_ONE}`),
        hex('b106 0102030405060708'),
        hex('b206 01 ff'),
        hex('b506 01020304'),
        field(5, 'a'),
      ],
      { name: 'a' },
    ],
    [
      'nothing of a field that has another type',
      [hex('28 01'), hex('3a 00'), hex('49 0102030405060708')],
      {},
    ],
  ])('%s', (_, fields, span) => {
    expect(decodeSpan(...fields)).toEqual({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  });
});

it('an empty message among spans is no operation that succeeded', () => {
  const ids = (id: string) => [field(1, id.padEnd(16, '-')), field(2, id.padEnd(8, '-'))];
  const scope = field(1, field(1, PACKAGE_NAME));
  const sent = field(1, field(2, scope, field(2), field(2, ...ids('a')), field(2)));
  const { operations } = readTraces(decode('ExportTraceServiceRequest', sent));
  expect(operations.map(({ id }) => Buffer.from(id.split('-')[1] ?? '', 'hex').toString())).toEqual([
    'a-------',
  ]);
});

it.each([
  ['the field 0', '02 00'],
  ['a field whose number is too large', '80 80 80 80 10 00'],
  ['a group', '0b 0c'],
  ['a number that does not end', `18 ${MINUS_ONE.replace('01', '81 01')}`],
  ['a number that is cut off', '18 80'],
  ['64 bits that are cut off', '39 01020304050607'],
  ['32 bits that are cut off', '35 010203'],
  ['a text that is longer than its message', '2a 02 61'],
  ['a message that is longer than the one that it is in', '7a 03 18 01'],
  ['a length that is too large', '2a ff ff ff ff 7f 61'],
])('%s is refused', (_, bytes) => {
  // A second span, so that there are more bytes.
  const request = Buffer.concat([requestOf(hex(bytes)), requestOf()]);
  expect(() => decode('ExportTraceServiceRequest', request)).toThrow(Error);
  expect(() => decode('ExportTraceServiceRequest', hex(bytes))).toThrow(Error);
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

it('of any bytes, some are refused, and what is not is read without an error', () => {
  const session = new Session();
  let refused = 0;
  let read = 0;
  const take = (bytes: { spans: Uint8Array; points: Uint8Array }) => {
    for (const [message, request] of [
      ['ExportTraceServiceRequest', bytes.spans],
      ['ExportMetricsServiceRequest', bytes.points],
    ] as const) {
      let decoded: object;
      try {
        decoded = decode(message, request);
      } catch (error) {
        // None of its subclasses, which would be faults.
        expect((error as Error).constructor).toBe(Error);
        refused += 1;
        continue;
      }
      if (message === 'ExportTraceServiceRequest') session.takeTraces(decoded);
      else session.takeMetrics(decoded);
      read += 1;
    }
  };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 5 }), (mutations) =>
      take({ spans: mutate(spans.protobuf, mutations), points: mutate(points.protobuf, mutations) }),
    ),
    { numRuns: 3_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
      take({ spans: bytes, points: bytes });
      take({ spans: requestOf(bytes), points: requestOf(bytes) });
    }),
    { numRuns: 3_000 },
  );
  expect(refused).toBeGreaterThan(0);
  expect(read).toBeGreaterThan(0);
});
