/** Command lines for the user to copy. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { plugAndPlay, realPath } from '../../attach/identity.js';
import { PACKAGE_NAME } from '../../version.js';
import { quote } from '../otel/environment.js';
import { HERE } from './installed.js';

/**
 * The command line that installs packages beside another one.
 *
 * @param folder the other package's, without symbolic links
 * @param packages as npm takes them, such as `@opentelemetry/api@1.9.1`
 */
export function installCommand(folder: string, ...packages: string[]): string {
  const what = packages.map(quote).join(' ');
  const { location } = plugAndPlay(folder) ?? {};
  if (location !== undefined) return `yarn --cwd ${quote(location)} add ${what}`;
  const project = projectOf(folder);
  if (folder.includes(`${sep}node_modules${sep}.pnpm${sep}`)) {
    const dependent = dependentOf(folder, project);
    // pnpm adds nothing to the root of a workspace by accident.
    const isRoot = dependent === project && existsSync(join(project, 'pnpm-workspace.yaml'));
    return `pnpm --dir ${quote(dependent)} add ${isRoot ? '--workspace-root ' : ''}${what}`;
  }
  // The node_modules of global packages are in no project.
  if (!existsSync(join(project, 'package.json'))) return `npm install --global ${what}`;
  return `npm install --prefix ${quote(project)} ${what}`;
}

/**
 * The package of a pnpm workspace that depends on another one. Of several it is the one in which the user is.
 *
 * @param folder the other one's, in pnpm's store
 * @param workspace its root
 */
function dependentOf(folder: string, workspace: string): string {
  const name = folder.slice(folder.lastIndexOf(`${sep}node_modules${sep}`));
  const all = packagesOf(workspace).filter((dependent) => realPath(dependent + name) === folder);
  return all.find((dependent) => isIn(process.cwd(), dependent)) ?? all[0] ?? workspace;
}

/** The folders of a pnpm workspace's packages, the root last. Its lock file names them. */
function packagesOf(workspace: string): string[] {
  try {
    const lock = readFileSync(join(workspace, 'pnpm-lock.yaml'), 'utf8');
    const [, importers = ''] = /^importers:\n((?:(?: .*)?\n)*)/m.exec(lock) ?? [];
    const paths = [...importers.matchAll(/^ {2}'?([^\s'].*?)'?:(?: \{\})?$/gm)];
    return paths.map(([, path = '']) => join(workspace, path)).reverse();
  } catch {
    return [];
  }
}

/**
 * How to install packages again of which files are missing. npm takes a package whose folder is there for installed.
 *
 * @param broken their folders, as far as they are there
 * @param command the command line that installs them
 */
export function repairing(broken: readonly string[], command: string): string {
  return broken.length === 0 || !command.startsWith('npm ')
    ? command
    : `remove ${broken.map(quote).join(' and ')}, and then: ${command}`;
}

/** Whether a package is in the project of this one, in which the ranges of both are to be met. */
export function isInOwnProject(folder: string): boolean {
  return isIn(folder, join(projectOf(HERE), 'node_modules'));
}

const isIn = (path: string, folder: string) => `${path}${sep}`.startsWith(`${folder}${sep}`);

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
  const isFromProject = isIn(cwd, projectOf(HERE));
  if (isFromProject && basename(HERE) === PACKAGE_NAME) return `npx ${PACKAGE_NAME} ${command}`;
  return `node ${quote(join(HERE, 'dist', 'cli', 'main.js'))} ${command}`;
}
