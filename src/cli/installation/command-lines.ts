/** Command lines that a user may copy. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { PACKAGE_NAME } from '../../version.js';
import { quote } from '../otel/environment.js';
import { HERE } from './installed.js';

/**
 * The command line that installs packages where a package is.
 *
 * @param folder of the package whose project is changed
 * @param packages as npm takes them, such as `@opentelemetry/api@1.9.1`
 */
export function installCommand(folder: string, ...packages: string[]): string {
  const project = projectOf(folder);
  const what = packages.map(quote).join(' ');
  if (folder.includes(`${sep}node_modules${sep}.pnpm${sep}`))
    return `pnpm --dir ${quote(project)} add ${what}`;
  // What is installed globally is in the node_modules of no project.
  if (!existsSync(join(project, 'package.json'))) return `npm install --global ${what}`;
  return `npm install --prefix ${quote(project)} ${what}`;
}

/** The folder in whose `node_modules` a package is, or its own where it is in none. */
function projectOf(folder: string): string {
  const [project = folder] = folder.split(`${sep}node_modules${sep}`, 1);
  return project;
}

/** How a command of this installation is called in a folder. */
export function ownCommand(command: string, cwd: string): string {
  const project = projectOf(HERE);
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder === project && basename(HERE) === PACKAGE_NAME) return `npx ${PACKAGE_NAME} ${command}`;
    if (folder === dirname(folder)) break;
  }
  return `node ${quote(join(HERE, 'dist', 'cli', 'main.js'))} ${command}`;
}
