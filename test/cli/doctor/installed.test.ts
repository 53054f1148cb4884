import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HERE, installed } from '../../../src/cli/installation/installed.js';
import { manifest, tree } from '../../support/tree.js';

it('this package is found where it is', () => {
  expect(HERE).toBe(resolve('.'));
});

describe('a package is found as Node.js finds it', () => {
  const files = (folder: string, version: string) => ({
    [`${folder}/package.json`]: { ...manifest('thing', version), main: 'lib/main.js' },
    [`${folder}/lib/package.json`]: { type: 'commonjs' },
    [`${folder}/lib/main.js`]: '',
  });
  const root = tree({ ...files('node_modules/thing', '1.0.0'), ...files('a/node_modules/thing', '2.0.0') });

  it.each([
    ['the nearest', 'a/b', '2.0.0', 'a/node_modules/thing'],
    ['one above', 'c/d', '1.0.0', 'node_modules/thing'],
  ])('%s', (_, from, version, folder) => {
    expect(installed('thing', join(root, from))).toEqual({
      name: 'thing',
      version,
      folder: join(root, folder),
    });
  });

  it('or not at all', () => {
    expect(installed('other', root)).toBe(undefined);
  });
});
