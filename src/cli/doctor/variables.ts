/** Check: the `OTEL_*` variables, one by one and together. */
import { type Check, type Finding, note, ok, problem } from './check.js';
import { contradictions, surprises } from './contradictions.js';
import { type Exporter, text } from './exporters.js';
import { CONFIG_FILES, OTHERS, VARIABLES } from './known-variables.js';
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
    about: [name, meant],
  };
}

function meantBy(name: string): string | undefined {
  if (!name.startsWith('OTEL_')) return undefined;
  const isOthers = OTHERS.some((others) => others.test(name));
  const short = (known: string) => known.slice('OTEL_'.length);
  const meant = nearest(short(name), [...VARIABLES.keys()].map(short));
  return meant === undefined || isOthers ? undefined : `OTEL_${meant}`;
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
