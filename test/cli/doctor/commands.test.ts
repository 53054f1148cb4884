import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
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

describe('in a pnpm workspace it is installed in the package that depends on the one that is looked at', () => {
  const store = 'node_modules/.pnpm/x@1/node_modules';
  /** @param dependents the packages that depend on `@a/x` */
  function workspace(...dependents: string[]) {
    const root = tree({
      'package.json': manifest('root'),
      'pnpm-workspace.yaml': 'packages: ["apps/*"]',
      'pnpm-lock.yaml': `lockfileVersion: '9.0'

importers:

  .: {}

  apps/one:
    dependencies:
      '@a/x':
        specifier: ^1
        version: 1.0.0

  'apps/an other': {}

packages:

  apps/no-package:
    resolution: {}
`,
      [`${store}/@a/x/package.json`]: manifest('@a/x'),
    });
    for (const path of dependents) {
      mkdirSync(join(root, path, 'node_modules/@a'), { recursive: true });
      symlinkSync(join(root, store, '@a/x'), join(root, path, 'node_modules/@a/x'));
    }
    return { root, command: installCommand(join(root, store, '@a/x'), 'y@1') };
  }

  it.each([
    ['apps/one', 'apps/one'],
    ['apps/an other', 'apps/an other'],
    ['apps/no-package', ''],
  ])('%s', (dependent, folder) => {
    const { root, command } = workspace(dependent);
    const isRoot = folder === '';
    expect(command).toBe(
      `pnpm --dir ${quote(join(root, folder))} add ${isRoot ? '--workspace-root ' : ''}y@1`,
    );
  });

  it('which may be the root, also where others depend on it', () => {
    const { root, command } = workspace('.');
    expect(command).toBe(`pnpm --dir ${root} add --workspace-root y@1`);
    const both = workspace('.', 'apps/one');
    expect(both.command).toBe(`pnpm --dir ${join(both.root, 'apps/one')} add y@1`);
  });

  it('of several it is the one in which the user is', () => {
    const { root } = workspace('apps/one', 'apps/an other');
    const cwd = vi.spyOn(process, 'cwd');
    for (const path of ['apps/one', 'apps/an other']) {
      cwd.mockReturnValue(join(root, path));
      expect(installCommand(join(root, store, '@a/x'), 'y')).toBe(
        `pnpm --dir ${quote(join(root, path))} add y`,
      );
    }
    cwd.mockRestore();
  });
});

it('a command is called by path, where the installation is not that of the folder', () => {
  expect(ownCommand('doctor', '/')).toBe(`node ${join(HERE, 'dist/cli/main.js')} doctor`);
});
