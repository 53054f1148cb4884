/** Masks what `doctor` must not print: values of headers, and of URLs all but scheme, host and port. */
import { SWITCH_NAME } from '../../attach/environment.js';
import { escapeRegExp } from '../../base/text.js';
import { SIGNALS } from '../otel/exporters.js';
import { withoutPaths } from '../otel/urls.js';

const HEADERS = /^OTEL_.*HEADER/i;
/** Variables whose values findings may quote. */
const PRINTED = /^OTEL_|_PROXY$/i;
const MASK = '****';
/** Shorter texts are no secrets, and would be masked in the middle of other words. */
const SHORTEST = 4;

/**
 * @param env the environment with the secrets
 * @returns a function that masks each secret in a text, both encoded and decoded
 */
export function masker(env: Readonly<NodeJS.ProcessEnv>): (text: string) => string {
  const secrets = new Set<string>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (!PRINTED.test(name)) continue;
    const found = HEADERS.test(name) ? headerValues(value) : urlSecrets(value);
    for (const secret of found) for (const form of [secret, decoded(secret)]) secrets.add(form);
  }
  const patterns = [...secrets]
    // Remedies contain this name.
    .filter((secret) => secret.length >= SHORTEST && secret !== SWITCH_NAME)
    // The longest comes first, because one may be part of another.
    .sort((one, other) => other.length - one.length)
    .map(patternOf);
  return (text) => withoutPaths(patterns.reduce((masked, pattern) => masked.replaceAll(pattern, MASK), text));
}

/**
 * Matches a secret that is not part of a word, a path or the name of a package: a header may hold the name of a tenant,
 * and files may have that name.
 */
function patternOf(secret: string): RegExp {
  return new RegExp(`(?<![\\w/@-])${escapeRegExp(secret)}(?![\\w/-])`, 'g');
}

/** The values in `name=value` pairs with commas between them, as OTLP exporters read them. */
function headerValues(text: string): string[] {
  return text.split(',').flatMap((pair) => {
    const value = pair.slice(pair.indexOf('=') + 1).trim();
    // The text after a scheme, such as `Bearer`, or after a colon that was to be "=", is a secret as well.
    const end = decoded(value).split(pair.includes('=') ? ' ' : /[ :]/);
    return [value, unquoted(value), end.at(-1) ?? ''];
  });
}

function unquoted(text: string): string {
  return text.replaceAll(/^["']|["']$/g, '');
}

/** The user and the password, also as HTTP sends them, the path, the values of the query, and the fragment. */
function urlSecrets(text: string): string[] {
  const written = unquoted(text.trim());
  // This also reads what is no URL because it has no scheme.
  const [, user = '', password] = /^(?:\w+:\/\/)?([^\s/:@]+)(?::(.*))?@/.exec(written) ?? [];
  const secrets = password === undefined ? [user] : [password];
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || url.host === '') return secrets;
  const { username, pathname, search, hash, searchParams } = url;
  const basic = Buffer.from(`${decoded(username)}:${decoded(url.password)}`).toString('base64');
  return [
    ...secrets,
    url.password === '' ? username : url.password,
    basic,
    ...paths(pathname),
    search,
    ...searchParams.values(),
    hash.slice(1),
  ];
}

/** Segments of paths that are longer are no words. */
const LONGEST_WORD = 15;

/** A path, alone and with what OTLP appends to it, and the segments of it that may be tokens. */
function paths(path: string): string[] {
  const own = SIGNALS.map((signal) => `/v1/${signal}`);
  const base = path.replace(/\/$/, '');
  if (own.includes(base)) return [];
  const tokens = base.split('/').filter(({ length }) => length > LONGEST_WORD);
  return [path, base, ...own.map((one) => base + one), ...tokens];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
