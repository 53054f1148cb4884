/** Projects of users, with the package as it is published. */
import { chmodSync, cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { manifest, tree } from './tree.js';

const { bin, dependencies, files, name } = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * Makes a project in which the package is installed with what it needs, and its command where npm puts a link to it.
 *
 * @param others files of the project, by path
 * @returns its folder
 */
export function project(others: Record<string, string | object> = {}): string {
  const folder = tree({ 'package.json': manifest('project'), 'node_modules/.bin/.keep': '', ...others });
  const modules = join(folder, 'node_modules');
  const installed = join(modules, name);
  // What is named by a pattern is documentation, or left out.
  const parts = (files as string[]).filter((part) => !/[!*]/.test(part));
  for (const part of ['package.json', ...parts]) cpSync(part, join(installed, part), { recursive: true });
  for (const needed of ['@opentelemetry', '@types', ...Object.keys(dependencies)])
    symlinkSync(resolve('node_modules', needed), join(modules, needed));
  const command = join(installed, bin[name]);
  chmodSync(command, 0o755);
  symlinkSync(command, join(modules, '.bin', name));
  return folder;
}
