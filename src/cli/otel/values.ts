/** What is wrong with the value of one variable. Values that may hold a secret are not quoted. */
import { quote } from './environment.js';
import type { Holds } from './known-variables.js';
import { nearest } from './nearest.js';

/** Something wrong in the environment, as a problem says it. */
export interface Fault {
  readonly found: string;
  readonly remedy: string;
  /** Names and values of variables: a warning of the SDK that names one of them is about the same fault. */
  readonly about: readonly string[];
}

/** Milliseconds in the units that people write. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, sec: 1000, m: 60_000, min: 60_000 };
const TRUE = ['1', 'yes', 'y', 'on', 'enabled', 't'];

/** @param value not blank */
export function faultOfValue(name: string, value: string, holds: Holds): Fault | undefined {
  if (holds.kind === 'own') return undefined;
  const quoted = /^\s*(["'])(.*)\1\s*$/s.exec(value)?.[2];
  if (quoted !== undefined) {
    const isSecret = holds.kind === 'pairs' || holds.kind === 'endpoint';
    return {
      found: `${name} is in quotation marks; they are kept as part of the value (as in files for docker --env-file)`,
      remedy: isSecret ? `set ${name} without the quotation marks` : `set ${name}=${quote(quoted)}`,
      about: [name, value],
    };
  }
  const fault = byKind(name, value, holds);
  return fault && { ...fault, about: [name, value, value.trim(), ...(fault.about ?? [])] };
}

function byKind(
  name: string,
  value: string,
  holds: Holds,
): (Pick<Fault, 'found' | 'remedy'> & Partial<Fault>) | undefined {
  const trimmed = value.trim();
  switch (holds.kind) {
    case 'boolean':
      return boolean(name, trimmed);
    case 'positive':
      return number(name, trimmed, (given) => given > 0, 'a number above 0');
    case 'milliseconds':
      return milliseconds(name, trimmed);
    case 'count':
      return number(name, trimmed, (given) => given >= 0, 'a number');
    case 'port':
      return number(
        name,
        trimmed,
        (given) => Number.isInteger(given) && given > 0 && given < 65_536,
        'a port',
      );
    case 'exact':
      return value === trimmed ? undefined : spaces(name, `set ${name}=${quote(trimmed)}`);
    case 'endpoint':
      return value === trimmed ? undefined : spaces(name, `set ${name} without the white space`);
    case 'one':
      return one(name, value, holds);
    case 'several':
      return several(name, trimmed, holds.of);
    default:
      return undefined;
  }
}

function spaces(name: string, remedy: string) {
  return { found: `${name} has white space around its value, and it is read with it`, remedy };
}

function boolean(name: string, value: string) {
  const lower = value.toLowerCase();
  if (lower === 'true' || lower === 'false') return undefined;
  const found = `${name}=${value} is neither true nor false, and is read as false`;
  // Who follows the remedy wants telemetry, so `true` is not proposed.
  if (name === 'OTEL_SDK_DISABLED')
    return { found, remedy: `unset ${name}; only ${name}=true keeps the SDK from starting` };
  return { found, remedy: `set ${name}=${trueOrFalse(value)}` };
}

/** Which of the two was probably meant; `false` where that is not clear. */
export function trueOrFalse(value: string): 'true' | 'false' {
  const lower = value.toLowerCase();
  return TRUE.includes(lower) || nearest(lower, ['true']) !== undefined ? 'true' : 'false';
}

/** @returns a time with a unit in milliseconds; nothing where it has no known unit */
export function millisecondsOf(value: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(value) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return factor === undefined ? undefined : Number(amount) * factor;
}

/** The longest time of timers in Node.js, in milliseconds. Longer ones fire at once, or are cut. */
const LONGEST = 2 ** 31 - 1;

function number(name: string, value: string, isRight: (given: number) => boolean, what: string) {
  if (isRight(Number(value))) return undefined;
  const milliseconds = millisecondsOf(value);
  const remedy =
    milliseconds !== undefined && isRight(milliseconds) ? `set ${name}=${milliseconds}` : `unset ${name}`;
  return {
    found: `${name}=${value} is not ${what}${milliseconds === undefined ? '' : ', in milliseconds'}: the default is used`,
    remedy,
  };
}

function milliseconds(name: string, value: string) {
  const fault = number(name, value, (given) => given > 0, 'a number above 0');
  if (fault !== undefined || Number(value) <= LONGEST) return fault;
  return {
    found: `${name}=${value} is above ${LONGEST}, the most milliseconds that a timer takes`,
    remedy: `unset ${name}`,
  };
}

function one(
  name: string,
  value: string,
  { of, anyCase, trimmed }: Extract<Holds, { kind: 'one' | 'several' }>,
) {
  const read = trimmed === true ? value.trim() : value;
  if (of.includes(anyCase === true ? read.toLowerCase() : read)) return undefined;
  if (value !== value.trim() && of.includes(value.trim()))
    return spaces(name, `set ${name}=${quote(value.trim())}`);
  return {
    found: `${name}=${value.trim()} is none of ${of.join(', ')}`,
    remedy: `set ${name}=${meantBy(value.trim(), of)}`,
  };
}

function several(name: string, value: string, of: readonly string[]) {
  const entries = value.split(',').map((entry) => entry.trim());
  const wrong = entries.filter((entry) => entry !== '' && !of.includes(entry));
  if (wrong.length === 0) return undefined;
  const meant = entries
    .filter((entry) => entry !== '')
    .map((entry) => (of.includes(entry) ? entry : meantBy(entry, of)));
  return {
    found: `${name}=${value}: ${wrong.join(', ')} is none of ${of.filter((known) => known !== 'null').join(', ')}`,
    remedy: `set ${name}=${[...new Set(meant)].join(',')}`,
    about: wrong,
  };
}

/** The value that was probably meant, or else the first one. */
function meantBy(written: string, of: readonly string[]): string {
  const lower = written.toLowerCase();
  const byLength = [...of].sort((one, other) => other.length - one.length);
  return (
    nearest(lower, of) ??
    byLength.find((known) => lower.includes(known)) ??
    of.find((known) => lower.length >= 4 && known.includes(lower)) ??
    (of[0] as string)
  );
}
