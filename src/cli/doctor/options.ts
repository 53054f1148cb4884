/** Check: this package's own options, as variables set them. */
import { ENV_PREFIX, readEnvironment, resolveSettings, type Settings } from '../../config.js';
import type { PaperclipInstrumentationConfig } from '../../types.js';
import { type Check, ok, problem } from './check.js';

const CATALOG = `${ENV_PREFIX}ERROR_CATALOG`;

export const options: Check = {
  id: 'options',
  title: 'Options',
  run: ({ env }) => {
    const warnings: string[] = [];
    // Its file is another check's.
    const { errorCatalog: _, ...given } = readEnvironment({ ...env, [CATALOG]: undefined }, (warning) =>
      warnings.push(warning),
    );
    if (warnings.length > 0)
      return warnings.map((warning) => problem(warning, `unset ${warning.split(' ', 1)[0]}`));
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
