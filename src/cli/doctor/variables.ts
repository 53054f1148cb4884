/** Check: the `OTEL_*` variables, one by one and together. */
import { type Check, type Finding, note, ok, problem } from './check.js';
import { contradictions, surprises } from './contradictions.js';
import { type Exporter, text } from './exporters.js';
import { CONFIG_FILES, IN_OTLP, NOT_HERE, OTHERS, VARIABLES } from './known-variables.js';
import { nearest } from './nearest.js';
import { type Fault, faultOfValue } from './values.js';
import { exportersOfSdk, sdkOf } from './which-sdk.js';

type Env = Readonly<NodeJS.ProcessEnv>;

export const variables: Check = {
  id: 'variables',
  title: 'Variables',
  run: ({ env, ...subject }) => {
    const exporters = exportersOfSdk(sdkOf({ env, ...subject }), env);
    const faults = faultsOf(env, exporters);
    const notes = [...unread(env), ...surprises(env, exporters)];
    return [
      ...faults.map(({ found, remedy }): Finding => problem(found, remedy)),
      ...notes.map(note),
      ...(faults.length + notes.length === 0 ? [ok(right(env))] : []),
    ];
  },
};

/** Says how many are set. Own options are counted by the check that judges them. */
function right(env: Env): string {
  const set = Object.keys(env).filter((name) => VARIABLES.has(name) && text(env, name) !== undefined);
  const count = set.filter((name) => VARIABLES.get(name)?.kind !== 'own').length;
  if (count > 0)
    return count === 1 ? '1 OTEL_* variable set, and valid' : `${count} OTEL_* variables set, all valid`;
  return `no OTEL_* variable is set${set.length > 0 ? ", other than this package's own options" : ''}`;
}

/**
 * What is wrong in an environment.
 *
 * @param exporters those of the SDK that would start
 */
export function faultsOf(env: Env, exporters: readonly Exporter[]): readonly Fault[] {
  const faults = Object.keys(env).flatMap((name) => faultOf(env, name) ?? []);
  const said = new Set(faults.flatMap(({ about }) => about));
  // One fault is one line.
  const others = contradictions(env, exporters).filter(({ about }) => !about.some((name) => said.has(name)));
  return [...faults, ...others];
}

function faultOf(env: Env, name: string): Fault | undefined {
  const value = text(env, name);
  if (value === undefined) return undefined;
  const holds = VARIABLES.get(name);
  if (holds !== undefined) return faultOfValue(name, value, holds);
  const upper = name.toUpperCase();
  if (name !== upper) return VARIABLES.has(upper) ? misspelt(env, name, upper) : undefined;
  if (CONFIG_FILES.includes(name)) {
    return {
      found: `${name} is not read: an SDK that Paperclip or the preload starts is set up by variables`,
      remedy: `unset ${name}, and set the OTEL_* variables that say the same`,
      about: [name],
    };
  }
  const meant = meantBy(name);
  return meant === undefined ? undefined : misspelt(env, name, meant);
}

/** Values are not shown: what is misspelt may hold a token. */
function misspelt(env: Env, name: string, meant: string): Fault {
  const isSet = text(env, meant) !== undefined;
  return {
    found: `${name} is read by nothing; ${isSet ? `there is also ${meant}` : `probably ${meant} is meant`}`,
    remedy: isSet ? `unset ${name}` : `rename ${name} to ${meant}`,
    // One that is set is judged by itself.
    about: isSet ? [name] : [name, meant],
  };
}

function meantBy(name: string): string | undefined {
  if (!name.startsWith('OTEL_') || NOT_HERE.test(name) || OTHERS.some((others) => others.test(name)))
    return undefined;
  const general = name.replace(IN_OTLP, '$1');
  if (general !== name && VARIABLES.has(general)) return general;
  const short = (known: string) => known.slice('OTEL_'.length);
  const candidates = [...VARIABLES.keys()].filter((known) => isSlip(name, known)).map(short);
  const meant = nearest(short(name), candidates);
  return meant === undefined ? undefined : `OTEL_${meant}`;
}

/** The words of the names of variables. */
const WORDS: ReadonlySet<string> = new Set([...VARIABLES.keys()].flatMap((name) => name.split('_')));

/**
 * Whether one name may have been written for another: with slips within words, words left out, or "_" elsewhere; but
 * with no known word in the place of another.
 */
function isSlip(name: string, known: string): boolean {
  const written = name.split('_');
  const meant = known.split('_');
  if (written.join('') === meant.join('')) return true;
  let at = 0;
  for (const word of meant) if (at < written.length && isMeant(written[at] ?? '', word)) at++;
  return at === written.length;
}

function isMeant(word: string, known: string): boolean {
  if (word === known || isOneOrMore(word, known)) return true;
  return !WORDS.has(word) && nearest(word, [known]) !== undefined;
}

/** Whether two words differ in number only, such as `METRIC` and `METRICS`. */
function isOneOrMore(one: string, other: string): boolean {
  return `${one}S` === other || `${other}S` === one;
}

function unread(env: Env): string[] {
  const names = Object.keys(env).filter(
    (name) =>
      name.startsWith('OTEL_') &&
      name === name.toUpperCase() &&
      text(env, name) !== undefined &&
      !VARIABLES.has(name) &&
      !CONFIG_FILES.includes(name) &&
      !OTHERS.some((others) => others.test(name)) &&
      meantBy(name) === undefined,
  );
  return names.length === 0 ? [] : [`${names.join(', ')}: read by nothing that runs here`];
}
