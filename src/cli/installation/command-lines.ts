/** Command lines for the user to copy. */
import { existsSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { plugAndPlay } from '../../attach/identity.js';
import { PACKAGE_NAME } from '../../version.js';
import { quote } from '../otel/environment.js';
import { HERE } from './installed.js';

/**
 * The command line that installs packages beside another one.
 *
 * @param folder the other package's
 * @param packages as npm takes them, such as `@opentelemetry/api@1.9.1`
 */
export function installCommand(folder: string, ...packages: string[]): string {
  const what = packages.map(quote).join(' ');
  const { location } = plugAndPlay(folder) ?? {};
  if (location !== undefined) return `yarn --cwd ${quote(location)} add ${what}`;
  const project = projectOf(folder);
  if (folder.includes(`${sep}node_modules${sep}.pnpm${sep}`))
    return `pnpm --dir ${quote(project)} add ${what}`;
  // The node_modules of global packages are in no project.
  if (!existsSync(join(project, 'package.json'))) return `npm install --global ${what}`;
  return `npm install --prefix ${quote(project)} ${what}`;
}

/** The folder in whose `node_modules` a package is, or its own folder where it is in none. */
function projectOf(folder: string): string {
  const [project = folder] = folder.split(`${sep}node_modules${sep}`, 1);
  return project;
}

/**
 * The command line for a command of this installation.
 *
 * @param cwd the folder in which the user runs it
 */
export function ownCommand(command: string, cwd: string): string {
  if (plugAndPlay(HERE) !== undefined) return `yarn ${PACKAGE_NAME} ${command}`;
  const isFromProject = `${cwd}${sep}`.startsWith(`${projectOf(HERE)}${sep}`);
  if (isFromProject && basename(HERE) === PACKAGE_NAME) return `npx ${PACKAGE_NAME} ${command}`;
  return `node ${quote(join(HERE, 'dist', 'cli', 'main.js'))} ${command}`;
}
