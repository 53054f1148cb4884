import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installCommand, ownCommand } from '../../../src/cli/installation/command-lines.js';
import { HERE } from '../../../src/cli/installation/installed.js';
import { quote } from '../../../src/cli/otel/environment.js';
import { manifest, tree } from '../../support/tree.js';

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
