/** Check: this package's own options, as variables set them. */
import { ERROR_CATALOG_VARIABLE, readEnvironment, resolveSettings, type Settings } from '../../config.js';
import type { PaperclipInstrumentationConfig } from '../../types.js';
import { type Check, type Finding, ok, problem } from './check.js';

export const options: Check = {
  id: 'options',
  title: 'Options',
  run: ({ env }) => {
    const problems: Finding[] = [];
    // The file of records is another check's.
    const { errorCatalog: _, ...given } = readEnvironment(
      { ...env, [ERROR_CATALOG_VARIABLE]: undefined },
      (warning, variable) => problems.push(problem(warning, `unset ${variable}`)),
    );
    if (problems.length > 0) return problems;
    const different = Object.entries(given).filter(([name, value]) => isDifferent({ [name]: value }));
    if (different.length === 0) return [ok('defaults')];
    return [ok(`${different.map(([name, value]) => `${name}=${value}`).join(', ')}; else defaults`)];
  },
};

/** Whether it makes settings other than the defaults. */
function isDifferent(given: PaperclipInstrumentationConfig): boolean {
  return written(resolveSettings(given, {}, () => {})) !== written(resolveSettings({}, {}, () => {}));
}

function written(settings: Settings): string {
  return JSON.stringify(settings, (_, value) => (value instanceof Set ? [...value] : value));
}
