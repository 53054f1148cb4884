/**
 * Reads OTLP's requests from protobuf bytes into what OTLP's JSON looks like. OpenTelemetry JS has only encoders of requests.
 * Names and numbers are those of https://github.com/open-telemetry/opentelemetry-proto; fields that nobody here reads are left out.
 */
import protobuf from 'protobufjs/light.js';
import { MAX_FIELDS, TooMuchError } from './values.js';

type Field = readonly [number: number, type: string, rule?: 'repeated'];

const MESSAGES: Record<string, Record<string, Field>> = {
  ExportTraceServiceRequest: { resourceSpans: [1, 'ResourceSpans', 'repeated'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans', 'repeated'] },
  ScopeSpans: { scope: [1, 'InstrumentationScope'], spans: [2, 'Span', 'repeated'] },
  Span: {
    traceId: [1, 'bytes'],
    spanId: [2, 'bytes'],
    name: [5, 'string'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue', 'repeated'],
    links: [13, 'Link', 'repeated'],
    status: [15, 'Status'],
  },
  Link: { traceId: [1, 'bytes'], spanId: [2, 'bytes'] },
  Status: { code: [3, 'int32'] },

  ExportMetricsServiceRequest: { resourceMetrics: [1, 'ResourceMetrics', 'repeated'] },
  ResourceMetrics: { resource: [1, 'Resource'], scopeMetrics: [2, 'ScopeMetrics', 'repeated'] },
  ScopeMetrics: { scope: [1, 'InstrumentationScope'], metrics: [2, 'Metric', 'repeated'] },
  Metric: { name: [1, 'string'], sum: [7, 'Sum'], histogram: [9, 'Histogram'] },
  Sum: { dataPoints: [1, 'NumberDataPoint', 'repeated'], aggregationTemporality: [2, 'int32'] },
  NumberDataPoint: {
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    asDouble: [4, 'double'],
    asInt: [6, 'sfixed64'],
    attributes: [7, 'KeyValue', 'repeated'],
  },
  Histogram: { dataPoints: [1, 'HistogramDataPoint', 'repeated'] },
  HistogramDataPoint: { timeUnixNano: [3, 'fixed64'] },

  Resource: { attributes: [1, 'KeyValue', 'repeated'] },
  InstrumentationScope: { name: [1, 'string'] },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
  },
  ArrayValue: { values: [1, 'AnyValue', 'repeated'] },

  // google.rpc.Status, which answers a request that failed.
  RpcStatus: { message: [2, 'string'] },
};

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(MESSAGES).map(([name, fields]) => [
      name,
      {
        // In proto3 a count of 0 would count as missing.
        edition: 'proto2',
        fields: Object.fromEntries(
          Object.entries(fields).map(([field, [id, type, rule]]) => [
            field,
            { id, type, ...(rule && { rule }) },
          ]),
        ),
      },
    ]),
  ),
}).resolveAll();

export type RequestMessage = 'ExportTraceServiceRequest' | 'ExportMetricsServiceRequest';

/**
 * @returns the message as OTLP's JSON has it, but for ids, which stay bytes: 64-bit numbers are strings, fields that were
 * not sent are missing
 * @throws TooMuchError
 * @throws Error where the bytes are no such message
 */
export function decode(message: RequestMessage, bytes: Uint8Array): object {
  const type = root.lookupType(message);
  return type.toObject(type.decode(boundedReader(bytes)), { longs: String });
}

/** @returns the bytes of a `google.rpc.Status` with this message */
export function encodeStatus(message: string): Uint8Array {
  return root.lookupType('RpcStatus').encode({ message }).finish();
}

/** A reader that stops after so many fields: an empty message has two bytes, and takes a hundred times that in memory. */
function boundedReader(bytes: Uint8Array): protobuf.Reader {
  const reader = protobuf.Reader.create(bytes);
  const readTag = reader.tag;
  let fields = 0;
  reader.tag = () => {
    fields += 1;
    if (fields > MAX_FIELDS) throw new TooMuchError(`more than ${MAX_FIELDS} fields`);
    return readTag.call(reader);
  };
  return reader;
}
