/** Check: the `OTEL_*` variables, one by one and together. */
import { SWITCH_NAME } from '../../attach/environment.js';
import { OPTION_VARIABLES } from '../../options.js';
import { type Env, text } from '../otel/environment.js';
import { faultsOf, notesOf } from '../otel/faults.js';
import { type Holds, type Program, VARIABLES } from '../otel/known-variables.js';
import { type Check, type Finding, note, ok, problem } from './check.js';
import { exportersOfSdk, sdkOf } from './which-sdk.js';

/** A Paperclip server with this package. */
export const PROGRAM: Program = {
  variables: new Map<string, Holds>([
    ...VARIABLES,
    // Paperclip reads it.
    ['OTEL_SERVICE_VERSION', { kind: 'any' }],
    ...OPTION_VARIABLES.map((name): [string, Holds] => [name, { kind: 'own' }]),
  ]),
  instrumentation: SWITCH_NAME,
  startedBy: 'Paperclip or the preload',
};

export const variables: Check = {
  id: 'variables',
  title: 'Variables',
  run: (subject) => {
    const { env } = subject;
    const exporters = exportersOfSdk(sdkOf(subject), env);
    const faults = faultsOf(env, exporters, PROGRAM);
    const notes = notesOf(env, exporters, PROGRAM);
    return [
      ...faults.map(({ found, remedy }): Finding => problem(found, remedy)),
      ...notes.map(note),
      ...(faults.length + notes.length === 0 ? [ok(countOf(env))] : []),
    ];
  },
};

/** How many variables are set, in words. This package's own options are the check `options`'s. */
function countOf(env: Env): string {
  const kinds = Object.keys(env)
    .filter((name) => text(env, name) !== undefined)
    .flatMap((name) => PROGRAM.variables.get(name)?.kind ?? []);
  const count = kinds.filter((kind) => kind !== 'own').length;
  if (count > 0)
    return count === 1 ? '1 OTEL_* variable set, and valid' : `${count} OTEL_* variables set, all valid`;
  return `no OTEL_* variable is set${kinds.length > 0 ? ", other than this package's own options" : ''}`;
}
