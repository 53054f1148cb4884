/** Reads values that came over the network. A value of an unexpected type counts as missing. */

/** In characters. Longer texts are cut; all names of this package are much shorter. */
const MAX_TEXT = 100;
const MAX_NANOS = 2n ** 64n;

/** A request is larger than any real one. */
export class TooMuchError extends Error {}

/** The most fields in a request, at all depths together. A collector's batch of 8192 spans has up to a million. */
export const MAX_FIELDS = 2_000_000;

/** In JSON, one of these stands before each member of an object and each element of a list. */
const [BRACE, BRACKET, COMMA] = Buffer.from('{[,');

/** Some writers begin with it, and JSON does not have it. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = {};

/**
 * Parses JSON that has at most `MAX_FIELDS` values, because an empty object has two bytes and takes thirty times that in memory.
 * Braces, brackets and commas inside texts are counted too.
 *
 * @throws TooMuchError
 * @throws SyntaxError
 */
export function boundedJson(bytes: Buffer): unknown {
  let fields = 0;
  const mark = BYTE_ORDER_MARK.length;
  const start = bytes.subarray(0, mark).equals(BYTE_ORDER_MARK) ? mark : 0;
  for (const byte of bytes) if (byte === BRACE || byte === BRACKET || byte === COMMA) fields += 1;
  if (fields > MAX_FIELDS) throw new TooMuchError(`more than ${MAX_FIELDS} fields`);
  return JSON.parse(bytes.toString('utf8', start));
}

export function objectOf(value: unknown): Json {
  return isObject(value) ? value : NOTHING;
}

/** @returns the objects of a list. Anything else in it, such as null, is left out. */
export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns the text without invisible characters and those that control a terminal, cut if it is long; undefined if it is empty */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = shortened(value).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '');
  return text === '' ? undefined : text;
}

function shortened(text: string): string {
  // V8 keeps the whole text as long as a slice of it is kept. This is a copy.
  return text.length > MAX_TEXT ? Buffer.from(text.slice(0, MAX_TEXT), 'utf16le').toString('utf16le') : text;
}

/** @returns a finite number. OTLP's JSON has 64-bit integers as text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.length > 32)) return undefined;
  const number = value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** @returns nanoseconds since 1970, or 0 if unknown, as in OTLP */
export function nanosOf(value: unknown): bigint {
  let nanos = 0n;
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) nanos = BigInt(value);
  else if (typeof value === 'number' && value > 0 && value < Number(MAX_NANOS))
    nanos = BigInt(Math.trunc(value));
  return nanos < MAX_NANOS ? nanos : 0n;
}

/** @returns an id as lower-case hexadecimal digits, from bytes (protobuf) or digits (JSON); empty if it is neither */
export function idOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value.subarray(0, 16)).toString('hex');
  return typeof value === 'string' && /^[\da-f]{1,32}$/i.test(value) ? value.toLowerCase() : '';
}

/** The value of an attribute. A list keeps only its texts, and values of other types are undefined. */
export type AttributeValue = string | number | boolean | readonly string[] | undefined;

/** @param pairs OTLP's list of `KeyValue`. One without a key is left out. */
export function attributesOf(pairs: unknown): ReadonlyMap<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>();
  for (const { key, value } of listOf(pairs))
    if (typeof key === 'string' && key !== '') attributes.set(key, attributeValueOf(value));
  return attributes;
}

function attributeValueOf(value: unknown): AttributeValue {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue } = objectOf(value);
  if (arrayValue !== undefined && arrayValue !== null)
    return listOf(objectOf(arrayValue).values).flatMap((entry) => textOf(entry.stringValue) ?? []);
  if (typeof boolValue === 'boolean') return boolValue;
  return textOf(stringValue) ?? numberOf(intValue ?? doubleValue);
}
