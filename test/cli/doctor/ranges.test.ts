import { expect, it } from 'vitest';
import { compareVersions } from '../../../src/attach/support.js';
import { lowest, satisfies } from '../../../src/cli/installation/ranges.js';

it.each([
  ['20.19.0', '>=20.19', true],
  ['20.18.3', '>=20.19', false],
  ['24.11.0', '>=24.11.0', true],
  ['24.9.0', '>=24.11.0', false],
  ['18.20.8', '^18.19.0 || >=20.6.0', true],
  ['19.9.0', '^18.19.0 || >=20.6.0', false],
  ['1.9.1', '>=1.3.0 <1.10.0', true],
  ['1.10.0', '>=1.3.0 <1.10.0', false],
  ['1.10.0', '^1.9.0', true],
  ['2.0.0', '^1.9.0', false],
  ['1.8.9', '^1.9.0', false],
  ['0.222.0', '^0.221.0', false],
  ['0.221.0', '0.221.0', true],
  ['0.221.1', '0.221.0', false],
  ['25.0.0-nightly', '>=24.11.0', true],
  ['20.19.0', '>= 18', true],
  ['16.20.2', '>= 18', false],
  ['24.0.0', '>= 18 < 24', false],
  ['20.19.0', '20 || >=22', true],
  ['1.9.1', '1.x', true],
  ['1.9.1', '1.9', true],
  ['1.9.1', '1.9.x', true],
  ['1.5.0', '1.3.0 - 1.10.0', true],
  ['1.0.0', '~1.9 what', true],
])('%s in %s: %s', (version, range, isIn) => {
  expect(satisfies(version, range)).toBe(isIn);
});

it('an open range has a lowest version, and a closed one has none', () => {
  expect(lowest('^18.19.0 || >=20.6.0')).toBe('20.6.0');
  expect(lowest('>=20.19')).toBe('20.19');
  expect(lowest('0.221.0')).toBe(undefined);
});

it('versions are compared by number', () => {
  expect(['1.10.0', '1.9.1', '1.9.10', '1.9.9'].sort(compareVersions)).toEqual([
    '1.9.1',
    '1.9.9',
    '1.9.10',
    '1.10.0',
  ]);
});
