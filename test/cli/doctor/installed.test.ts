import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HERE, installCommand, installed, ownCommand, quote } from '../../../src/cli/doctor/installed.js';
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

it('words with spaces and quotes stay one word for a shell', () => {
  expect(quote('/a/b-c_1.2@3')).toBe('/a/b-c_1.2@3');
  expect(quote('a b')).toBe("'a b'");
  expect(quote("it's")).toBe(`'it'\\''s'`);
  expect(quote('x@<0.300.0')).toBe("'x@<0.300.0'");
});

it('a package is installed in the project whose node_modules has the one that is looked at', () => {
  const root = tree({ 'package.json': manifest('project') });
  expect(installCommand(join(root, 'node_modules/a/node_modules/b'), 'x@1', 'y')).toBe(
    `npm install --prefix ${root} x@1 y`,
  );
});

it('a command is called by path, where the installation is not that of the folder', () => {
  expect(ownCommand('doctor', '/')).toBe(`node ${join(HERE, 'dist/cli/main.js')} doctor`);
});
