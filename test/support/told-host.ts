/** A host whose calls succeed and fail as they are told, under names that were never used before. */

import type { HostFunction } from '../../src/base/values.js';
import { observeDuplexFactory } from '../../src/duplex/observability.js';
import type { PaperclipInstrumentation } from '../../src/index.js';
import { OPERATIONS } from '../../src/operations/table.js';
import type { LeaseShape } from '../../src/semconv.js';

let invented = 0;
/** A name that was never used before. */
export function invent(kind: string): string {
  invented += 1;
  return `${kind}-${invented}`;
}

/** A value of an attribute, or none. */
export type Choice = string | undefined;

/** What the host's method does with a call. */
export type Outcome = () => unknown;
interface Input {
  readonly environment?: object;
  readonly lease?: object | undefined;
  readonly outcome: Outcome;
}

/** Throws this. */
export const failing = (error: unknown): Outcome => {
  return () => {
    throw error;
  };
};

/** A lease of this shape, or one that cannot be read; with new ids. */
export function leaseOf(shape: LeaseShape | undefined, provider: Choice): object | undefined {
  if (shape === 'absent') return undefined;
  if (shape === undefined) {
    return {
      get metadata() {
        throw new Error('unreadable');
      },
    };
  }
  const pluginId = shape === 'plugin_complete' ? invent('plugin') : undefined;
  const metadata = { sandboxProviderPlugin: shape !== 'non_plugin', pluginId, provider };
  return {
    id: invent('lease'),
    companyId: invent('company'),
    agentId: invent('agent'),
    issueId: invent('issue'),
    heartbeatRunId: invent('run'),
    executionWorkspaceId: invent('workspace'),
    status: invent('status'),
    leasePolicy: invent('policy'),
    providerLeaseId: invent('session'),
    acquiredAt: new Date(0),
    metadata,
  };
}

/** What Paperclip makes of `createDuplexObservability`, as far as it is told of anything. */
type Facade = Record<string, (...args: unknown[]) => unknown>;

/** A host whose calls succeed and fail as they are told, observed by an instrumentation. */
export class Host {
  readonly #calls: Record<string, (input: Input) => Promise<unknown>>;
  readonly #releaseAll: (runId: string, input: Input) => Promise<unknown>;
  readonly #createFacade: (options: object) => Facade;

  constructor(instrumentation: PaperclipInstrumentation) {
    const methods = OPERATIONS.flatMap(({ method }) => method.driver ?? []);
    const call = async ({ outcome }: Input) => outcome();
    this.#calls = instrumentation.instrumentDriver(
      Object.fromEntries(methods.map((method) => [method, (input: Input) => call(input)])),
    );
    const service = { releaseRunLeases: async (_runId: string, { outcome }: Input) => outcome() };
    this.#releaseAll = instrumentation.instrumentRuntime(service).releaseRunLeases;
    const none = () => {};
    this.#createFacade = observeDuplexFactory((() => ({
      startChannelOpen: () => ({ ready: none, fallback: none }),
      recordFallback: none,
      recordRequest: none,
      recordLoss: none,
      recordSessionLeak: none,
    })) as HostFunction) as (options: object) => Facade;
  }

  createFacade(providerKey: Choice) {
    return this.#createFacade({ providerKey });
  }

  /** Calls one method of the driver, and takes what comes. */
  async call(method: string, input: Input, driver?: Choice, provider?: Choice) {
    const environment = { id: invent('environment'), driver, config: { provider } };
    const owner = { companyId: invent('company'), heartbeatRunId: invent('run') };
    await this.#calls[method]?.({ environment, ...owner, ...input }).catch(() => {});
  }

  async releaseAll(outcome: Outcome) {
    await this.#releaseAll(invent('run'), { outcome }).catch(() => {});
  }
}

/** A channel whose other side is called. */
export class Channel {
  data: (chunk: string) => void = () => {};
  exit: (exit: object) => void = () => {};
  write(_data: string) {}
  onData(listener: (chunk: string) => void) {
    this.data = listener;
  }
  onExit(listener: (exit: object) => void) {
    this.exit = listener;
  }
  stop() {}
  close() {}
}
