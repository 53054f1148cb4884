/** Packages as Node.js finds them, and what they ask for. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Package, packageOf } from '../../attach/identity.js';

/** The folder of this package. */
export const HERE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');

/** What a package.json asks for. */
interface Manifest {
  readonly engines?: { readonly node?: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** @returns nothing where the package cannot be resolved from the folder */
export function installed(name: string, from: string): Package | undefined {
  const path = resolveFrom(name, from);
  return path === undefined ? undefined : packageOf(path);
}

/** The path of what `require` of a name loads in a folder. */
export function resolveFrom(name: string, from: string): string | undefined {
  try {
    return createRequire(join(from, 'package.json')).resolve(name);
  } catch {
    return undefined;
  }
}

export function manifestOf({ folder }: Pick<Package, 'folder'>): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8').replace(/^\uFEFF/, ''));
}
