/**
 * Registers the loader hook through which modules are patched, for Paperclip's files only: the hook as
 * OpenTelemetry's documentation shows it, which intercepts every module, doubles the time a server takes to
 * boot.
 */
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { escapeRegExp } from '../text.js';

/**
 * Registers the hook, in this thread where Node.js allows it, else in the loader's.
 *
 * @param files the files to intercept, as `<package>/<path>`
 */
export async function registerLoader(files: readonly string[]): Promise<void> {
  const options = { include: files.map(inNodeModules) };
  // Hook and loader must come from the same copy of `import-in-the-middle`, the one that
  // `@opentelemetry/instrumentation` uses; otherwise nothing is patched.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@opentelemetry/instrumentation'));
  const inThread = await importInThreadHook(resolve);
  if (inThread?.supportsSyncHooks()) {
    inThread.register(options);
    return;
  }
  register(pathToFileURL(resolve('import-in-the-middle/hook.mjs')), { data: options });
}

interface InThreadHook {
  supportsSyncHooks(): boolean;
  register(options: { include: RegExp[] }): void;
}

/** Older versions of `import-in-the-middle` have no in-thread hook. */
async function importInThreadHook(resolve: NodeJS.RequireResolve): Promise<InThreadHook | undefined> {
  try {
    return await import(pathToFileURL(resolve('import-in-the-middle/register-hooks.mjs')).href);
  } catch {
    return undefined;
  }
}

function inNodeModules(file: string): RegExp {
  return new RegExp(`/node_modules/${escapeRegExp(file)}$`);
}
