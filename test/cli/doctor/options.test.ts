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
    ['CAPTURE_IDS', 'flase', 'must be true or false; true is used', '=false, or to true'],
    ['CAPTURE_IDS', 'none', 'must be true or false; true is used', '=false, or to true'],
    ['CAPTURE_IDS', 'yes', 'must be true or false; true is used', '=true, or to false'],
    ['ERROR_DETAIL', 'ful', 'must be catalogued or full; catalogued is used', '=full, or to catalogued'],
    ['ERROR_DETAIL', 'all', 'must be catalogued or full; catalogued is used', '=catalogued, or to full'],
    ['FALLBACK_WINDOW_MS', '20s', 'must be a whole number; 30000 is used', '=20000'],
    ['REACQUIRE_WINDOW_MS', '5 min', 'must be a whole number; 300000 is used', '=300000'],
    ['MAX_TRACKED_RECOVERIES', '20_000', 'must be a whole number; 10000 is used', '=20000'],
    [
      'PROVIDERS',
      'one two',
      'must be 1 to 64 letters, digits, ".", ":", "_" or "-"; only the known providers are used',
      '=one,two',
    ],
    [
      'PACKAGES',
      '"@ours/server"; theirs',
      'must be the name of an npm package; @paperclipai/server is used',
      '=@ours/server,theirs',
    ],
  ])('%s=%s is wrong, and its remedy keeps what was meant', (name, value, what, remedy) => {
    const env = { [`${PREFIX}${name}`]: value };
    const found = `${PREFIX}${name}=${value}: ${what}`;
    expect(look(env)).toEqual([{ mark: 'problem', found, remedy: `set ${PREFIX}${name}${remedy}` }]);
    const { [`${PREFIX}${name}`]: followed } = followVariables(`set ${PREFIX}${name}${remedy}`, env);
    expect(followed).toBe(remedy.slice(1).split(', or')[0]);
    expect(look({ [`${PREFIX}${name}`]: followed ?? '' })).toEqual([expect.objectContaining({ mark: 'ok' })]);
  });

  it.each([
    [
      'FALLBACK_WINDOW_MS',
      '1.5',
      'must be a whole number; 30000 is used',
      'to a whole number of milliseconds, such as 30000',
    ],
    [
      'REACQUIRE_WINDOW_MS',
      '0',
      'must be at least 1; 300000 is used',
      'to a whole number of milliseconds, such as 300000',
    ],
    [
      'MAX_TRACKED_RECOVERIES',
      '10s',
      'must be a whole number; 10000 is used',
      'to a whole number, such as 10000',
    ],
    [
      'PROVIDERS',
      'ö',
      'must be 1 to 64 letters, digits, ".", ":", "_" or "-"; only the known providers are used',
      'to the keys of providers, with commas between them',
    ],
    [
      'PACKAGES',
      '@/',
      'must be the name of an npm package; @paperclipai/server is used',
      'to the names of npm packages, with commas between them, such as @paperclipai/server',
    ],
  ])('%s=%s is wrong, and nobody guesses what was meant', (name, value, what, remedy) => {
    expect(look({ [`${PREFIX}${name}`]: value })).toEqual([
      {
        mark: 'problem',
        found: `${PREFIX}${name}=${value}: ${what}`,
        remedy: `set ${PREFIX}${name} ${remedy}`,
      },
    ]);
  });

  it('say nothing about the file of the error catalog', () => {
    expect(look({ [`${PREFIX}ERROR_CATALOG`]: '/no/such/file' })).toEqual(ok('defaults'));
  });
});
