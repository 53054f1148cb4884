/** The programs of Debian's packages. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @param names the names that a program has, here and there
 * @param debianPackage the package that brings it
 * @returns the program's path
 */
export function findProgram(names: readonly string[], debianPackage: string): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const path = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  if (path !== undefined) return path;
  throw new Error(
    `${names.join(' or ')} is not installed; it comes with the Debian package ${debianPackage}`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
