/** The variables with headers, as the exporters and HTTP take them. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { SIGNALS, text, variable } from './exporters.js';
import type { Fault } from './values.js';

/** What is wrong with them, one by one. Entries are named by where they stand: their text is secret. */
export function* headers(env: Readonly<NodeJS.ProcessEnv>): Iterable<Fault> {
  for (const signal of [undefined, ...SIGNALS]) {
    const name = variable(signal, 'HEADERS');
    for (const [index, entry] of (text(env, name) ?? '').split(',').entries()) {
      const which = `entry ${index + 1} of ${name}`;
      const wrong = wrongHeader(entry) ?? refusedHeader(entry);
      if (wrong === undefined) continue;
      const {
        is,
        rule = 'as name=value, with %2C for a comma, %3B for a semicolon and %25 for a percent sign',
      } = wrong;
      yield { found: `${name}: entry ${index + 1} ${is}`, remedy: `write ${which} ${rule}`, about: [name] };
    }
  }
}

interface WrongHeader {
  /** Follows the entry. */
  readonly is: string;
  /** How to write it. */
  readonly rule?: string;
}

/** As the exporters read it. */
function wrongHeader(entry: string): WrongHeader | undefined {
  if (entry.trim() === '') return undefined;
  const at = entry.indexOf('=');
  if (at < 0) return { is: 'has no "=", and is left out' };
  if (entry.slice(0, at).trim() === '' || entry.slice(at + 1).trim() === '')
    return { is: 'has no name or no value, and is left out' };
  if (entry.includes(';')) return { is: 'is cut off at its semicolon' };
  return isDecodable(entry) ? undefined : { is: 'has a "%" that encodes nothing, and is left out' };
}

/** As HTTP takes it, by Node.js. */
function refusedHeader(entry: string): WrongHeader | undefined {
  if (entry.trim() === '') return undefined;
  const at = entry.indexOf('=');
  const [name = '', value = ''] = [entry.slice(0, at), entry.slice(at + 1)].map((part) =>
    decodeURIComponent(part.trim()),
  );
  if (isRefused(() => validateHeaderName(name)))
    return {
      is: 'has a name that HTTP does not take, and nothing can be sent',
      rule: 'with a name of letters, digits, "-" and "_"',
    };
  if (isRefused(() => validateHeaderValue(name, value)))
    return {
      is: 'has a value that HTTP does not take, and nothing can be sent',
      rule: 'with a value without line breaks, control characters and letters beyond Latin-1',
    };
  return undefined;
}

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}

/** Whether every percent sign in it encodes something. */
export function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
