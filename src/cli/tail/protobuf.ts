/**
 * Reads OTLP requests from protobuf into the shape of OTLP's JSON. OpenTelemetry JS can only write requests.
 * Names and numbers are those of https://github.com/open-telemetry/opentelemetry-proto, without the fields that `tail` does not
 * read. The encoding is described at https://protobuf.dev/programming-guides/encoding/.
 */
import { MAX_FIELDS, TooMuchError } from './values.js';

/** The limit of Google's own readers. It keeps lists in lists from overflowing the stack. */
const MAX_DEPTH = 100;

const VARINT = 0;
const BITS_64 = 1;
const LENGTH_AND_BYTES = 2;
const BITS_32 = 5;

interface Scalar {
  readonly wireType: number;
  read(bytes: Buffer, start: number, end: number): unknown;
}

const SCALARS = {
  bool: { wireType: VARINT, read: (...args) => varint(...args) !== 0n },
  int32: { wireType: VARINT, read: (...args) => Number(BigInt.asIntN(32, varint(...args))) },
  int64: { wireType: VARINT, read: (...args) => String(BigInt.asIntN(64, varint(...args))) },
  fixed64: { wireType: BITS_64, read: (bytes, start) => String(bytes.readBigUInt64LE(start)) },
  sfixed64: { wireType: BITS_64, read: (bytes, start) => String(bytes.readBigInt64LE(start)) },
  double: { wireType: BITS_64, read: (bytes, start) => bytes.readDoubleLE(start) },
  string: { wireType: LENGTH_AND_BYTES, read: (bytes, start, end) => bytes.toString('utf8', start, end) },
  bytes: { wireType: LENGTH_AND_BYTES, read: (bytes, start, end) => bytes.subarray(start, end) },
} satisfies Record<string, Scalar>;

type ScalarType = keyof typeof SCALARS;

type Field<Message> =
  | readonly [name: string, type: ScalarType]
  | readonly [name: string, type: Message, rule?: 'repeated'];

const MESSAGES = checked({
  ExportTraceServiceRequest: { 1: ['resourceSpans', 'ResourceSpans', 'repeated'] },
  ResourceSpans: { 1: ['resource', 'Resource'], 2: ['scopeSpans', 'ScopeSpans', 'repeated'] },
  ScopeSpans: { 1: ['scope', 'InstrumentationScope'], 2: ['spans', 'Span', 'repeated'] },
  Span: {
    1: ['traceId', 'bytes'],
    2: ['spanId', 'bytes'],
    5: ['name', 'string'],
    7: ['startTimeUnixNano', 'fixed64'],
    8: ['endTimeUnixNano', 'fixed64'],
    9: ['attributes', 'KeyValue', 'repeated'],
    13: ['links', 'Link', 'repeated'],
    15: ['status', 'Status'],
  },
  Link: { 1: ['traceId', 'bytes'], 2: ['spanId', 'bytes'] },
  Status: { 3: ['code', 'int32'] },

  ExportMetricsServiceRequest: { 1: ['resourceMetrics', 'ResourceMetrics', 'repeated'] },
  ResourceMetrics: { 1: ['resource', 'Resource'], 2: ['scopeMetrics', 'ScopeMetrics', 'repeated'] },
  ScopeMetrics: { 1: ['scope', 'InstrumentationScope'], 2: ['metrics', 'Metric', 'repeated'] },
  Metric: { 1: ['name', 'string'], 7: ['sum', 'Sum'], 9: ['histogram', 'Histogram'] },
  Sum: { 1: ['dataPoints', 'NumberDataPoint', 'repeated'], 2: ['aggregationTemporality', 'int32'] },
  NumberDataPoint: {
    2: ['startTimeUnixNano', 'fixed64'],
    3: ['timeUnixNano', 'fixed64'],
    4: ['asDouble', 'double'],
    6: ['asInt', 'sfixed64'],
    7: ['attributes', 'KeyValue', 'repeated'],
  },
  Histogram: { 1: ['dataPoints', 'HistogramDataPoint', 'repeated'] },
  HistogramDataPoint: { 3: ['timeUnixNano', 'fixed64'] },

  Resource: { 1: ['attributes', 'KeyValue', 'repeated'] },
  InstrumentationScope: { 1: ['name', 'string'] },
  KeyValue: { 1: ['key', 'string'], 2: ['value', 'AnyValue'] },
  AnyValue: {
    1: ['stringValue', 'string'],
    2: ['boolValue', 'bool'],
    3: ['intValue', 'int64'],
    4: ['doubleValue', 'double'],
    5: ['arrayValue', 'ArrayValue'],
  },
  ArrayValue: { 1: ['values', 'AnyValue', 'repeated'] },
});

type MessageType = keyof typeof MESSAGES;
type Message = Record<string, unknown>;

/** Checks that each type of a field is a scalar, or a message of the same table. */
function checked<Type extends string>(messages: Record<Type, Record<number, Field<NoInfer<Type>>>>) {
  return messages;
}

export type RequestMessage = 'ExportTraceServiceRequest' | 'ExportMetricsServiceRequest';

/**
 * @returns the message as OTLP's JSON has it, except that ids stay bytes. 64-bit integers are strings, and fields that were not
 * sent are missing.
 * @throws TooMuchError
 * @throws Error where the bytes are no such message
 */
export function decode(message: RequestMessage, bytes: Uint8Array): object {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return new Reader(buffer).message(message, buffer.length);
}

/**
 * @param message at most 127 bytes, so that its length is one byte
 * @returns the bytes of a `google.rpc.Status` with this message, which is its field 2
 */
export function encodeStatus(message: string): Uint8Array {
  const text = Buffer.from(message);
  return Buffer.concat([Buffer.from([(2 << 3) | LENGTH_AND_BYTES, text.length]), text]);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #fields = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads fields up to `end`. A message that was sent in parts is merged `into` its first part. */
  message(type: MessageType, end: number, depth = 0, into: Message = {}): Message {
    if (depth > MAX_DEPTH) throw new Error('nested too deeply');
    while (this.#at < end) {
      // An empty message has two bytes, and takes thirty times that in memory.
      this.#fields += 1;
      if (this.#fields > MAX_FIELDS) throw new TooMuchError(`more than ${MAX_FIELDS} fields`);
      const tag = this.#uint32();
      if (tag < 8) throw new Error('a field has the number 0');
      const wireType = tag & 7;
      const start = this.#skip(wireType);
      if (this.#at > end) throw new Error('a value is longer than its message');
      const field: Field<MessageType> | undefined = MESSAGES[type][tag >>> 3];
      if (field === undefined) continue;
      const [name, valueType, rule] = field;
      if (isScalar(valueType)) {
        const scalar: Scalar = SCALARS[valueType];
        if (wireType === scalar.wireType) into[name] = scalar.read(this.#bytes, start, this.#at);
      } else if (wireType === LENGTH_AND_BYTES) {
        const valueEnd = this.#at;
        this.#at = start;
        if (rule === undefined)
          into[name] = this.message(valueType, valueEnd, depth + 1, into[name] as Message | undefined);
        else {
          into[name] ??= [];
          (into[name] as Message[]).push(this.message(valueType, valueEnd, depth + 1));
        }
      }
    }
    return into;
  }

  /**
   * Moves behind a value.
   *
   * @returns where it starts, after its length
   */
  #skip(wireType: number): number {
    let start = this.#at;
    switch (wireType) {
      case VARINT:
        while (this.#byte() > 127) if (this.#at >= start + 10) throw new Error('a number has too many bytes');
        return start;
      case BITS_64:
        this.#at += 8;
        return start;
      case LENGTH_AND_BYTES: {
        const length = this.#uint32();
        start = this.#at;
        this.#at += length;
        return start;
      }
      case BITS_32:
        this.#at += 4;
        return start;
      default:
        // 3 and 4 are groups, which OTLP does not have.
        throw new Error(`the wire type ${wireType} is unknown`);
    }
  }

  /** A tag or a length. */
  #uint32(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128 && value < 2 ** 32) return value;
    }
    throw new Error('a number has too many bytes');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('the message is cut off');
    this.#at += 1;
    return byte;
  }
}

function isScalar(type: ScalarType | MessageType): type is ScalarType {
  return type in SCALARS;
}

/** Seven bits of each byte, the lowest ones first. */
function varint(bytes: Buffer, start: number, end: number): bigint {
  return bytes.subarray(start, end).reduceRight((value, byte) => (value << 7n) | BigInt(byte & 127), 0n);
}
