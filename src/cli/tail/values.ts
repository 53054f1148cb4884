/** Reads values that came over the network: whatever is not of the wanted kind counts as missing. */

/** The longest text that is read, in characters. No name of ours comes near. */
const MAX_TEXT = 100;
const MAX_NANOS = 2n ** 64n;

/** A request is larger than anything that is sent in earnest. */
export class TooMuchError extends Error {}

/** Fields of a request, those of messages in it included. A collector's batch, 8192 spans, has up to a million. */
export const MAX_FIELDS = 2_000_000;

/** In JSON each member of an object and each element of a list follows on one of these. */
const [BRACE, BRACKET, COMMA] = Buffer.from('{[,');

export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = {};

/**
 * Parses JSON that has not too many values: an empty object has two bytes, and takes thirty times that in memory. What
 * looks like the start of one in a text counts as well.
 *
 * @throws TooMuchError
 * @throws SyntaxError
 */
export function boundedJson(bytes: Buffer): unknown {
  let fields = 0;
  for (const byte of bytes) if (byte === BRACE || byte === BRACKET || byte === COMMA) fields += 1;
  if (fields > MAX_FIELDS) throw new TooMuchError(`more than ${MAX_FIELDS} fields`);
  return JSON.parse(bytes.toString());
}

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : NOTHING;
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** @returns the text without what could steer a terminal or is invisible, cut where it is long; nothing where it is empty */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, MAX_TEXT).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '');
  return text === '' ? undefined : text;
}

/** @returns a finite number, also of one that JSON holds as text, as it does all with 64 bits */
export function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.length > 32)) return undefined;
  const number = value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** @returns nanoseconds since 1970; 0 where none are known, as in OTLP */
export function nanosOf(value: unknown): bigint {
  let nanos = 0n;
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) nanos = BigInt(value);
  else if (typeof value === 'number' && value > 0 && value < Number(MAX_NANOS))
    nanos = BigInt(Math.trunc(value));
  return nanos < MAX_NANOS ? nanos : 0n;
}

/** @returns an id as lower-case hexadecimal digits, of bytes (protobuf) or of such digits (JSON) */
export function idOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value.subarray(0, 16)).toString('hex');
  return typeof value === 'string' && /^[\da-f]{1,32}$/i.test(value) ? value.toLowerCase() : '';
}

/** An attribute's value: text, number or boolean as it is, of a list its texts, and nothing of all else. */
export type AttributeValue = string | number | boolean | readonly string[] | undefined;

/** @param pairs OTLP's list of `KeyValue` */
export function attributesOf(pairs: unknown): ReadonlyMap<string, AttributeValue> {
  return new Map(
    listOf(pairs).map(({ key, value }) => [typeof key === 'string' ? key : '', attributeValueOf(value)]),
  );
}

function attributeValueOf(value: unknown): AttributeValue {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue } = objectOf(value);
  if (arrayValue !== undefined)
    return listOf(objectOf(arrayValue).values).flatMap((entry) => textOf(entry.stringValue) ?? []);
  if (typeof boolValue === 'boolean') return boolValue;
  return textOf(stringValue) ?? numberOf(intValue ?? doubleValue);
}
