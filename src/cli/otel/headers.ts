/** The variables with headers, as the exporters and HTTP take them. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type Env, text } from './environment.js';
import { SIGNALS, variable } from './exporters.js';
import type { Fault } from './values.js';

/** Names an entry by its position, because its text is secret. */
export function* headerFaults(env: Env): Iterable<Fault> {
  for (const signal of [undefined, ...SIGNALS]) {
    const name = variable(signal, 'HEADERS');
    for (const [index, entry] of (text(env, name) ?? '').split(',').entries()) {
      const wrong = entry.trim() === '' ? undefined : (malformed(entry) ?? refused(entry));
      if (wrong === undefined) continue;
      const {
        is,
        rule = 'as name=value, with %2C for a comma, %3B for a semicolon and %25 for a percent sign',
      } = wrong;
      yield {
        found: `${name}: entry ${index + 1} ${is}`,
        remedy: `write entry ${index + 1} of ${name} ${rule}`,
        about: [name],
      };
    }
  }
}

interface WrongHeader {
  /** What is wrong; follows the entry. */
  readonly is: string;
  /** How to write it. */
  readonly rule?: string;
}

/** What the exporters do not read as a header. */
function malformed(entry: string): WrongHeader | undefined {
  const at = entry.indexOf('=');
  if (at < 0) return { is: 'has no "=", and is left out' };
  if (entry.slice(0, at).trim() === '' || entry.slice(at + 1).trim() === '')
    return { is: 'has no name or no value, and is left out' };
  if (entry.includes(';')) return { is: 'is cut off at its semicolon' };
  return isDecodable(entry) ? undefined : { is: 'has a "%" that encodes nothing, and is left out' };
}

/** What Node.js does not send as a header. */
function refused(entry: string): WrongHeader | undefined {
  const at = entry.indexOf('=');
  const [name = '', value = ''] = [entry.slice(0, at), entry.slice(at + 1)].map((part) =>
    decodeURIComponent(part.trim()),
  );
  if (throws(() => validateHeaderName(name)))
    return {
      is: 'has a name that HTTP does not take, and nothing can be sent',
      rule: 'with a name of letters, digits, "-" and "_"',
    };
  if (throws(() => validateHeaderValue(name, value)))
    return {
      is: 'has a value that HTTP does not take, and nothing can be sent',
      rule: 'with a value without line breaks, control characters and letters beyond Latin-1',
    };
  return undefined;
}

/** Whether every percent sign in a text encodes something. */
export function isDecodable(text: string): boolean {
  return !throws(() => decodeURIComponent(text));
}

function throws(action: () => void): boolean {
  try {
    action();
    return false;
  } catch {
    return true;
  }
}
