import { describe, expect, it } from 'vitest';
import { options } from '../../../src/cli/doctor/options.js';
import { type Env, followVariables } from './follow.js';

const PREFIX = 'OTEL_INSTRUMENTATION_PAPERCLIP_';
const look = (env: Env) => options.run({ env, preload: 'start', folder: '/', server: undefined });
const ok = (found: string) => [{ mark: 'ok', found }];

describe('options', () => {
  it('are the defaults, also where a variable says so', () => {
    expect(look({})).toEqual(ok('defaults'));
    expect(look({ [`${PREFIX}CAPTURE_IDS`]: 'TRUE', [`${PREFIX}PROVIDERS`]: 'daytona' })).toEqual(
      ok('defaults'),
    );
  });

  it('are shown where they differ', () => {
    const env = {
      [`${PREFIX}CAPTURE_IDS`]: 'false',
      [`${PREFIX}PROVIDERS`]: 'one, two',
      [`${PREFIX}FALLBACK_WINDOW_MS`]: '1000',
    };
    expect(look(env)).toEqual(
      ok('providers=one,two, captureIds=false, fallbackWindowMs=1000; else defaults'),
    );
  });

  it.each([
    ['CAPTURE_IDS', 'yes', 'must be true or false; using the default'],
    ['ERROR_DETAIL', 'all', 'must be catalogued or full; using the default'],
    ['FALLBACK_WINDOW_MS', '1.5', 'must be a whole number; using the default'],
    ['REACQUIRE_WINDOW_MS', '0', 'must be at least 1; using the default'],
    ['PROVIDERS', 'a b', 'must be 1 to 64 letters, digits, ".", ":", "_" or "-"; using the default'],
    ['PACKAGES', '@/', 'must be the name of an npm package; using the default'],
  ])('%s=%s is wrong, and unsetting it repairs that', (name, value, what) => {
    const env = { [`${PREFIX}${name}`]: value };
    const remedy = `unset ${PREFIX}${name}`;
    expect(look(env)).toEqual([{ mark: 'problem', found: `${PREFIX}${name}: ${what}`, remedy }]);
    expect(look(followVariables(remedy, env))).toEqual(ok('defaults'));
  });

  it('say nothing about the file of the error catalog', () => {
    expect(look({ [`${PREFIX}ERROR_CATALOG`]: '/no/such/file' })).toEqual(ok('defaults'));
  });
});
