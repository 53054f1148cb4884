/** What `doctor` must not print: values of headers, and passwords and queries in URLs. */
import { SWITCH_NAME } from '../../attach/environment.js';
import { escapeRegExp } from '../../base/text.js';

const HEADERS = /^OTEL_.*HEADER/i;
const ENDPOINT = /^OTEL_.*ENDPOINT$/i;
/** Variables from whose values something may be printed. */
const PRINTED = /^OTEL_|_PROXY$/i;
const MASK = '****';
/** Shorter ones are no secrets, and would be masked in other words' places. */
const SHORTEST = 4;

/**
 * @param env the environment whose secrets are masked
 * @returns what masks each secret in a text, as it is written and as it is decoded
 */
export function masker(env: Readonly<NodeJS.ProcessEnv>): (text: string) => string {
  const secrets = new Set<string>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (!PRINTED.test(name)) continue;
    const found = HEADERS.test(name) ? headerValues(value) : urlSecrets(value);
    for (const secret of found) for (const form of [secret, decoded(secret)]) secrets.add(form);
  }
  const endpoints = Object.keys(env)
    .filter((name) => ENDPOINT.test(name))
    .map((name) => env[name])
    .join(' ');
  const patterns = [...secrets]
    // The name that remedies have.
    .filter((secret) => secret.length >= SHORTEST && secret !== SWITCH_NAME)
    // The longest first: one may be part of another.
    .sort((one, other) => other.length - one.length)
    .map((secret) => patternOf(secret, endpoints));
  return (text) =>
    patterns.reduce((masked, pattern) => masked.replaceAll(pattern, MASK), withoutUserInfo(text));
}

/**
 * Matches it where it is not part of a word, of a file's path or of a package's name, as a tenant's name may be; but in
 * any path, where it is in that of an endpoint.
 */
function patternOf(secret: string, endpoints: string): RegExp {
  const written = escapeRegExp(secret);
  const [before, after] = new RegExp(`[^/]/${written}`).test(endpoints) ? ['', ''] : ['/@-', '/-'];
  return new RegExp(`(?<![\\w${before}])${written}(?![\\w${after}])`, 'g');
}

/** Whatever its variable is, and however short it is: passwords, users without one, and queries. */
function withoutUserInfo(text: string): string {
  return text
    .replaceAll(/(:\/\/[^\s/?#:@]*):[^\s/?#]*@/g, `$1:${MASK}@`)
    .replaceAll(/:\/\/[^\s/?#:@]+@/g, `://${MASK}@`)
    .replaceAll(/([?&][\w.~%-]+=)[^\s&#]*[^\s&#"']/g, `$1${MASK}`);
}

/** As OTLP exporters read them: `name=value` pairs with commas between them. */
function headerValues(text: string): string[] {
  return text.split(',').flatMap((pair) => {
    const value = pair.slice(pair.indexOf('=') + 1).trim();
    // What follows a scheme, such as `Bearer`, is a secret by itself, too; or a colon that was to be "=".
    const end = decoded(value).split(pair.includes('=') ? ' ' : /[ :]/);
    return [value, unquoted(value), end.at(-1) ?? ''];
  });
}

function unquoted(text: string): string {
  return text.replaceAll(/^["']|["']$/g, '');
}

/** The password, a user without one, and the values of the query. */
function urlSecrets(text: string): string[] {
  const written = unquoted(text.trim());
  // Also in what is no URL, such as one without scheme.
  const [, user = '', password] = /^(?:\w+:\/\/)?([^\s/:@]+)(?::(.*))?@/.exec(written) ?? [];
  const secrets = password === undefined ? [user] : [password];
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined) return secrets;
  return [...secrets, url.password === '' ? url.username : url.password, ...url.searchParams.values()];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
