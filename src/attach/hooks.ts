/**
 * The module loader hooks that intercept Paperclip's files, and no others. They are the hooks of `import-in-the-middle`.
 * OpenTelemetry's documented hook intercepts every module, which doubles the time that a server takes to boot.
 *
 * Where Node.js has no hooks in the main thread, it loads this file in the thread of its loader.
 */
import type {
  LoadFnOutput,
  LoadHook,
  LoadHookContext,
  ResolveFnOutput,
  ResolveHook,
  ResolveHookContext,
} from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { identify } from './identity.js';
import { isCandidate, roleOf } from './places.js';

/** The files of one copy of `import-in-the-middle`. */
export interface Interceptor {
  /** URL of the file that exports `createHook`. */
  readonly createHook: string;
  /** URL of `hook.mjs`. The generated modules find the registry of hooks beside it. */
  readonly hook: string;
}

/** The hooks that `module.registerHooks` takes (Node.js 22.15 and later). */
interface InThreadHooks {
  resolve(specifier: string, context: ResolveHookContext, next: NextResolve): ResolveFnOutput;
  load(url: string, context: LoadHookContext, next: NextLoad): LoadFnOutput;
}
/** What the hooks are registered with. */
export interface HookOptions {
  readonly from: Interceptor;
  /** Names of the packages that are treated as Paperclip's server. */
  readonly servers: readonly string[];
  /** Whether the file that starts processes is of interest. */
  readonly processes: boolean;
}

/** Called with the name of a package that has a runtime and is not one of the servers. */
type OnStranger = (name: string) => void;

/** Node.js's `module.registerHooks`. */
export type RegisterHooks = (hooks: Partial<InThreadHooks>) => Registration;
interface Registration {
  deregister(): void;
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
 * Registers the hooks in this thread.
 *
 * @param registerHooks Node.js's function of that name
 * @returns `false` where this version of Node.js, or of `import-in-the-middle`, has hooks in another thread only
 */
export async function registerInThread(
  { from, ...wanted }: HookOptions,
  registerHooks: RegisterHooks,
  onStranger: OnStranger,
): Promise<boolean> {
  const hooks = await inThreadHooks(from);
  if (hooks === undefined) return false;
  const { resolve: resolveSync, load: loadSync } = hooks;

  const isOurs = recogniser(wanted, onStranger);
  // A load hook slows every module down, so there is one only while a candidate is being loaded.
  const expected = new Set<string>();
  const loaded = new Set<string>();
  let loading: Registration | undefined;
  const stop = () => {
    loading?.deregister();
    loading = undefined;
    expected.clear();
  };
  const load: InThreadHooks['load'] = (url, context, next) => {
    if (!isOurs(url)) return next(url, context);
    const result = loadSync(url, context, next);
    loaded.add(url);
    expected.delete(url);
    if (expected.size === 0) stop();
    return result;
  };
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!isOurs(resolved.url)) return resolved;
      const candidate = resolveSync(specifier, context, (other, its) => unmarked(next(other, its)));
      if (!loaded.has(candidate.url)) {
        expected.add(candidate.url);
        if (loading === undefined) {
          loading = registerHooks({ load });
          // Where hooks are in-thread, a module is loaded in the turn of the event loop in which it is resolved. What is only
          // resolved, by `import.meta.resolve`, is not loaded.
          setImmediate(stop);
        }
      }
      return candidate;
    },
  });
  return true;
}

/** The hooks for this thread, where these versions of Node.js and `import-in-the-middle` have them. */
export async function inThreadHooks(from: Interceptor): Promise<InThreadHooks | undefined> {
  const interceptor: InterceptorModule = await import(from.createHook);
  if (!interceptor.supportsSyncHooks?.()) return undefined;
  const { resolveSync, loadSync } = interceptor.createHook({ url: from.hook });
  if (resolveSync === undefined || loadSync === undefined) return undefined;
  return { resolve: resolveSync, load: loadSync };
}

let hooks: ReturnType<InterceptorModule['createHook']> | undefined;
let isOurs: (url: string) => boolean;

/** Called by Node.js with the data given to `module.register`. */
export async function initialize(data: HookOptions & { strangers: MessagePort }): Promise<void> {
  const interceptor: InterceptorModule = await import(data.from.createHook);
  hooks = interceptor.createHook({ url: data.from.hook });
  isOurs = recogniser(data, (name) => data.strangers.postMessage(name));
}

/** Called by Node.js for each `import`. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const resolved = await next(specifier, context);
  if (hooks === undefined || !isOurs(resolved.url)) return resolved;
  return hooks.resolve(specifier, context, async (other, its) => unmarked(await next(other, its)));
};

/** Called by Node.js for each module. */
export const load: LoadHook = (url, context, next) =>
  hooks !== undefined && isOurs(url) ? hooks.load(url, context, next) : next(url, context);

/**
 * Recognises Paperclip's files by their URLs. Other files of the same name are not intercepted, because an intercepted
 * module has no live bindings, which can break a cycle of imports.
 */
function recogniser(
  { servers, processes }: Omit<HookOptions, 'from'>,
  onStranger: OnStranger,
): (url: string) => boolean {
  const known = new Map<string, boolean>();
  return (url) => {
    if (!isCandidate(url)) return false;
    let isOne = known.get(url);
    if (isOne === undefined) {
      const file = identify(url);
      const role = file && roleOf(file, servers);
      if (file !== undefined && role === 'stranger') onStranger(file.package.name);
      isOne = role !== undefined && role !== 'stranger' && (role !== 'processes' || processes);
      known.set(url, isOne);
    }
    return isOne;
  };
}

/**
 * Removes the mark by which `import-in-the-middle` asks itself to wrap a module. If another copy of it has put the mark
 * there, that copy would wrap the module, and this copy would not see it.
 */
function unmarked(resolved: ResolveFnOutput): ResolveFnOutput {
  if (!resolved.url.includes('iitm')) return resolved;
  const url = new URL(resolved.url);
  url.searchParams.delete('iitm');
  return { ...resolved, url: url.href };
}
