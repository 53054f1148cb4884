/** Processes whose instrumented operations are exported over OTLP, and what the operations' spans were. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tree } from '../../support/tree.js';

const HOST = fileURLToPath(new URL('traces-host.mjs', import.meta.url));

/** A span of an operation, as the process itself saw it. */
export interface Emitted {
  /** Ids of trace and span, with a space between them. */
  readonly id: string;
  readonly traceId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The id of its parent. */
  readonly parent?: string;
  /** The id of the span that it links to. */
  readonly link?: string;
}

/** Keeps the step as Paperclip's module does, in the place in which the preload looks for it. */
const STEPS = 'node_modules/@paperclipai/adapter-utils/dist/acpx-engine/startup-timing.js';
const folder = tree({
  'node_modules/@paperclipai/adapter-utils/package.json': {
    name: '@paperclipai/adapter-utils',
    version: '2026.916.1',
    type: 'module',
  },
  [STEPS]: `
    import { AsyncLocalStorage } from 'node:async_hooks';
    const storage = new AsyncLocalStorage();
    export function getActiveStepContext() {
      return storage.getStore() ?? null;
    }
    export function runStep(step, work) {
      return storage.run(step, work);
    }
  `,
});

/**
 * Runs the process to its end.
 *
 * @param env its `OTEL_*` variables
 */
export async function emit(
  { seed, requests }: { seed: number; requests: number },
  env: Record<string, string>,
): Promise<Emitted[]> {
  const args = [HOST, String(seed), String(requests), `${folder}/${STEPS}`];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    maxBuffer: 2 ** 26,
  });
  // Warnings of the instrumentation and of the SDK, such as that something could not be exported.
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}
