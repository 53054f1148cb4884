/** Packages as Node.js finds them, the names of those that matter here, and their versions. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Package, packageOf } from '../../attach/identity.js';

export const API = '@opentelemetry/api';
export const INSTRUMENTATION = '@opentelemetry/instrumentation';
export const SDK = '@opentelemetry/sdk-node';
/** The package with the loader hooks, a dependency of the instrumentation. */
export const INTERCEPTOR = 'import-in-the-middle';
/** The package with the command that starts Paperclip's server, which is one of its dependencies. */
export const LAUNCHER = 'paperclipai';

/** The folder of this package. */
export const HERE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');

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
