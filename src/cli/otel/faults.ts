/** What is wrong or surprising in an environment. */
import { contradictions, surprises } from './contradictions.js';
import { type Env, text } from './environment.js';
import type { Exporter } from './exporters.js';
import { CONFIG_FILES, IN_OTLP, NOT_HERE, OTHERS, type Program } from './known-variables.js';
import { nearest } from './nearest.js';
import { type Fault, faultOfValue } from './values.js';

/** @param exporters those of the SDK that would start */
export function faultsOf(env: Env, exporters: readonly Exporter[], program: Program): readonly Fault[] {
  const faults = Object.keys(env).flatMap((name) => faultOf(env, name, program) ?? []);
  const said = new Set(faults.flatMap(({ about }) => about));
  // What is wrong with a variable is said once.
  const others = contradictions(env, exporters, program).filter(
    ({ about }) => !about.some((name) => said.has(name)),
  );
  return [...faults, ...others];
}

/**
 * What is no fault, and worth knowing.
 *
 * @param exporters those of the SDK that would start
 */
export function notesOf(env: Env, exporters: readonly Exporter[], program: Program): readonly string[] {
  const unread = Object.keys(env).filter(
    (name) =>
      name.startsWith('OTEL_') &&
      name === name.toUpperCase() &&
      text(env, name) !== undefined &&
      !program.variables.has(name) &&
      !CONFIG_FILES.includes(name) &&
      !isForOthers(name, program) &&
      meantBy(name, program) === undefined,
  );
  return [
    ...(unread.length === 0 ? [] : [`${unread.join(', ')}: read by nothing that runs here`]),
    ...surprises(env, exporters),
  ];
}

function faultOf(env: Env, name: string, program: Program): Fault | undefined {
  const { variables } = program;
  const value = text(env, name);
  if (value === undefined) return undefined;
  const holds = variables.get(name);
  if (holds !== undefined) return faultOfValue(name, value, holds);
  const upper = name.toUpperCase();
  if (name !== upper) return variables.has(upper) ? misspelt(env, name, upper) : undefined;
  if (CONFIG_FILES.includes(name)) {
    return {
      found: `${name} is not read: an SDK that ${program.startedBy} starts is set up by variables`,
      remedy: `unset ${name}, and set the OTEL_* variables that say the same`,
      about: [name],
    };
  }
  const meant = meantBy(name, program);
  return meant === undefined ? undefined : misspelt(env, name, meant);
}

/** Does not quote the value, which may hold a token. */
function misspelt(env: Env, name: string, meant: string): Fault {
  const isSet = text(env, meant) !== undefined;
  return {
    found: `${name} is read by nothing; ${isSet ? `there is also ${meant}` : `probably ${meant} is meant`}`,
    remedy: isSet ? `unset ${name}` : `rename ${name} to ${meant}`,
    // If the other one is set, its own faults are said as well.
    about: isSet ? [name] : [name, meant],
  };
}

function isForOthers(name: string, { instrumentation }: Program): boolean {
  const prefix = 'OTEL_INSTRUMENTATION_';
  const isOfOther = name.startsWith(prefix) && !name.startsWith(prefix + instrumentation.toUpperCase());
  return isOfOther || OTHERS.some((pattern) => pattern.test(name));
}

/** @returns the variable whose name was probably meant */
function meantBy(name: string, program: Program): string | undefined {
  if (!name.startsWith('OTEL_') || NOT_HERE.test(name) || isForOthers(name, program)) return undefined;
  const { variables } = program;
  const general = name.replace(IN_OTLP, '$1');
  if (general !== name && variables.has(general)) return general;
  const words = new Set([...variables.keys()].flatMap((known) => known.split('_')));
  const withoutPrefix = (known: string) => known.slice('OTEL_'.length);
  const candidates = [...variables.keys()].filter((known) => isMisspelling(name, known, words));
  const meant = nearest(withoutPrefix(name), candidates.map(withoutPrefix));
  return meant === undefined ? undefined : `OTEL_${meant}`;
}

/**
 * Whether one name may have been written for another: with typing errors within words, words left out, or "_" in other
 * places; but not with a known word in the place of another.
 *
 * @param words all words of known names
 */
function isMisspelling(name: string, known: string, words: ReadonlySet<string>): boolean {
  const written = name.split('_');
  const meant = known.split('_');
  if (written.join('') === meant.join('')) return true;
  const isFor = (word: string, right: string) =>
    word === right ||
    // The singular and the plural, such as `METRIC` and `METRICS`.
    `${word}S` === right ||
    `${right}S` === word ||
    (!words.has(word) && nearest(word, [right]) !== undefined);
  let at = 0;
  for (const word of meant) if (at < written.length && isFor(written[at] ?? '', word)) at++;
  return at === written.length;
}
