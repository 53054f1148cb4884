/** What an SDK complains about when it starts. */
import { type Env, text } from './environment.js';
import { SIGNALS, variable } from './exporters.js';
import type { Fault } from './values.js';

/** Said of a signal that is left out on purpose, after other complaints, or of what is noted anyway. */
const NEEDLESS =
  /contains "none"\. SDK will not be|Unable to set up trace exporter|URL path should not be set/;

/** A complaint that names no variable. */
interface Known {
  readonly pattern: RegExp;
  /** The variables that it may be about. */
  readonly about: readonly string[];
  /** @param set those of them that are set, in words */
  remedy(set: string): string;
}

const named = (setting: string) => [undefined, ...SIGNALS].map((signal) => variable(signal, setting));
const unreadable = (pattern: RegExp, setting: string): Known => ({
  pattern,
  about: named(setting),
  remedy: (set) => `set ${set} to a file that can be read: its path is taken from the folder of the server`,
});

const KNOWN: readonly Known[] = [
  unreadable(/Failed to read root certificate file/, 'CERTIFICATE'),
  unreadable(/Failed to read client certificate chain file/, 'CLIENT_CERTIFICATE'),
  unreadable(/Failed to read client certificate private key file/, 'CLIENT_KEY'),
  {
    pattern: /Client key and certificate must both be provided/,
    about: [...named('CLIENT_KEY'), ...named('CLIENT_CERTIFICATE')],
    remedy: () =>
      `set both ${variable(undefined, 'CLIENT_KEY')} and ${variable(undefined, 'CLIENT_CERTIFICATE')}, or unset both`,
  },
  {
    pattern: /"jaeger" requested/,
    about: ['OTEL_PROPAGATORS'],
    remedy: (set) => `set ${set}=tracecontext,baggage`,
  },
];

/** @returns the complaints that no fault explains */
export function unexplained(complaints: readonly string[], faults: readonly Fault[]): string[] {
  const said = faults.flatMap(({ about }) => about).filter((part) => part !== '');
  // A short value may be part of any text, unless it is quoted.
  const forms = said.flatMap((part) => (part.length > 2 ? [part] : [`"${part}"`, `'${part}'`]));
  const isSaid = (complaint: string) =>
    knownOf(complaint)?.about.some((name) => said.includes(name)) === true ||
    forms.some((form) => complaint.includes(form));
  return [...new Set(complaints)].filter((each) => !NEEDLESS.test(each) && !isSaid(each));
}

/** What to do about a complaint. */
export function remedyOf(complaint: string, env: Env): string {
  const known = knownOf(complaint);
  if (known !== undefined)
    return known.remedy(known.about.filter((name) => text(env, name) !== undefined).join(' or '));
  const [name = 'the setting named above'] = /\bOTEL_\w+/.exec(complaint) ?? [];
  return `correct ${name}`;
}

function knownOf(complaint: string): Known | undefined {
  return KNOWN.find(({ pattern }) => pattern.test(complaint));
}
