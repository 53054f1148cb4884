/**
 * The module loader hooks through which Paperclip's files are intercepted, and no others: the hook as
 * OpenTelemetry's documentation shows it, which intercepts every module, doubles the time a server takes to
 * boot. They are those of `import-in-the-middle`, asked about candidates only.
 *
 * Where Node.js has no hooks in the thread, it loads this file in the thread of its loader.
 */
import type {
  LoadFnOutput,
  LoadHook,
  LoadHookContext,
  ResolveFnOutput,
  ResolveHook,
  ResolveHookContext,
} from 'node:module';
import { isCandidate } from './places.js';

/** Where a copy of `import-in-the-middle` has its files. */
export interface Interceptor {
  /** URL of the file that exports `createHook`. */
  readonly createHook: string;
  /** URL of `hook.mjs`, beside which the generated modules find the registry of hooks. */
  readonly hook: string;
}

/** The hooks that `module.registerHooks` takes (Node.js 22.15 and later). */
export interface InThreadHooks {
  resolve(specifier: string, context: ResolveHookContext, next: NextResolve): ResolveFnOutput;
  load(url: string, context: LoadHookContext, next: NextLoad): LoadFnOutput;
}
type NextResolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput;
type NextLoad = (url: string, context?: Partial<LoadHookContext>) => LoadFnOutput;

interface InterceptorModule {
  /** Absent before version 3.1. */
  supportsSyncHooks?(): boolean;
  createHook(meta: { url: string }): {
    resolve: ResolveHook;
    load: LoadHook;
    resolveSync?: InThreadHooks['resolve'];
    loadSync?: InThreadHooks['load'];
  };
}

/**
 * The hooks for `module.registerHooks`.
 *
 * @returns nothing where this version of Node.js, or of `import-in-the-middle`, has only those of another thread
 */
export async function inThreadHooks(from: Interceptor): Promise<InThreadHooks | undefined> {
  const interceptor: InterceptorModule = await import(from.createHook);
  if (!interceptor.supportsSyncHooks?.()) return undefined;
  const { resolveSync, loadSync } = interceptor.createHook({ url: from.hook });
  if (resolveSync === undefined || loadSync === undefined) return undefined;
  return {
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!isCandidate(resolved.url)) return resolved;
      return resolveSync(specifier, context, (other, its) => unmarked(next(other, its)));
    },
    load: (url, context, next) => (isCandidate(url) ? loadSync : next)(url, context, next),
  };
}

let hooks: ReturnType<InterceptorModule['createHook']> | undefined;

/** Called by Node.js with the data given to `module.register`. */
export async function initialize(from: Interceptor): Promise<void> {
  const interceptor: InterceptorModule = await import(from.createHook);
  hooks = interceptor.createHook({ url: from.hook });
}

/** Called by Node.js for each `import`. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const resolved = await next(specifier, context);
  if (hooks === undefined || !isCandidate(resolved.url)) return resolved;
  return hooks.resolve(specifier, context, async (other, its) => unmarked(await next(other, its)));
};

/** Called by Node.js for each module. */
export const load: LoadHook = (url, context, next) =>
  hooks !== undefined && isCandidate(url) ? hooks.load(url, context, next) : next(url, context);

/**
 * Takes away the mark by which `import-in-the-middle` asks itself to wrap a module. Where another copy of it
 * has put it there, that copy would wrap the module, and hooks of this copy would never hear of it.
 */
function unmarked(resolved: ResolveFnOutput): ResolveFnOutput {
  if (!resolved.url.includes('iitm')) return resolved;
  const url = new URL(resolved.url);
  url.searchParams.delete('iitm');
  return { ...resolved, url: url.href };
}
