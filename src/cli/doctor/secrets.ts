/** Masks what `doctor` must not print: values of headers, and passwords and queries in URLs. */
import { SWITCH_NAME } from '../../attach/environment.js';
import { escapeRegExp } from '../../base/text.js';

const HEADERS = /^OTEL_.*HEADER/i;
const ENDPOINT = /^OTEL_.*ENDPOINT$/i;
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
  const endpoints = Object.keys(env)
    .filter((name) => ENDPOINT.test(name))
    .map((name) => env[name])
    .join(' ');
  const patterns = [...secrets]
    // Remedies contain this name.
    .filter((secret) => secret.length >= SHORTEST && secret !== SWITCH_NAME)
    // The longest comes first, because one may be part of another.
    .sort((one, other) => other.length - one.length)
    .map((secret) => patternOf(secret, endpoints));
  return (text) =>
    patterns.reduce((masked, pattern) => masked.replaceAll(pattern, MASK), withoutUserInfo(text));
}

/**
 * Matches a secret that is not part of a word, a path or the name of a package: a header may hold the name of a tenant,
 * and files may have that name. Where the secret is in the path of an endpoint, it is matched in all paths.
 */
function patternOf(secret: string, endpoints: string): RegExp {
  const written = escapeRegExp(secret);
  const [before, after] = new RegExp(`[^/]/${written}`).test(endpoints) ? ['', ''] : ['/@-', '/-'];
  return new RegExp(`(?<![\\w${before}])${written}(?![\\w${after}])`, 'g');
}

/** Masks the parts of every URL: passwords, users without a password, and values of queries, also short ones. */
function withoutUserInfo(text: string): string {
  return text
    .replaceAll(/(:\/\/[^\s/?#:@]*):[^\s/?#]*@/g, `$1:${MASK}@`)
    .replaceAll(/:\/\/[^\s/?#:@]+@/g, `://${MASK}@`)
    .replaceAll(/([?&][\w.~%-]+=)[^\s&#]*[^\s&#"']/g, `$1${MASK}`);
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

/** The password, or the user where there is none, and the values of the query. */
function urlSecrets(text: string): string[] {
  const written = unquoted(text.trim());
  // This also reads what is no URL because it has no scheme.
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
