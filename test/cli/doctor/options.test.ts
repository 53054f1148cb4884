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
    ['CAPTURE_IDS', 'yes', 'expected boolean'],
    ['ERROR_DETAIL', 'all', '"catalogued"|"full"'],
    ['FALLBACK_WINDOW_MS', '1.5', 'must be a whole number'],
    ['REACQUIRE_WINDOW_MS', '0', 'must be at least 1'],
    ['PROVIDERS', 'a b', 'must be 1 to 64 letters'],
    ['PACKAGES', '@/', 'must be the name of an npm package'],
  ])('%s=%s is wrong, and unsetting it repairs that', (name, value, what) => {
    const env = { [`${PREFIX}${name}`]: value };
    const [found, ...others] = look(env) as { mark: string; found: string; remedy: string }[];
    expect(others).toEqual([]);
    expect(found).toMatchObject({ mark: 'problem', remedy: `unset ${PREFIX}${name}` });
    expect(found?.found).toContain(what);
    expect(look(followVariables(found?.remedy ?? '', env))).toEqual(ok('defaults'));
  });

  it('say nothing about the file of the error catalog', () => {
    expect(look({ [`${PREFIX}ERROR_CATALOG`]: '/no/such/file' })).toEqual(ok('defaults'));
  });
});
