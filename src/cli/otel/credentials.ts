/** What identifies an operator to a collector, and may go to the endpoint that the operator has set, and nowhere else. */
import { type Env, text } from './environment.js';
import { type OtlpExporter, type Signal, variable } from './exporters.js';

/** An endpoint may have a password or a token in it. */
const SETTINGS = /^OTEL_EXPORTER_.*(?:HEADERS|ENDPOINT|CLIENT_KEY|CLIENT_CERTIFICATE)$/;

/** The environment for an export to another place than the one that is set. */
export function withoutCredentials(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SETTINGS.test(name)));
}

/** Whether a signal's exports carry headers, or something in their URL that may be a token. */
export function hasCredentials(env: Env, { signal, url }: Pick<OtlpExporter, 'signal' | 'url'>): boolean {
  const hasHeaders = [undefined, signal].some((one) => text(env, variable(one, 'HEADERS')) !== undefined);
  return hasHeaders || !isPlain(url, signal);
}

/** Whether a URL has nothing but scheme, host, port and the signal's own path. */
export function isPlain(url: string, signal: Signal): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, pathname, search, hash } = new URL(url);
  return username + password + search + hash === '' && ['/', '', `/v1/${signal}`].includes(pathname);
}
