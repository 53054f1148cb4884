/**
 * Imports a server's runtime after the preload, as the server does, and calls operations, which fail because there is no
 * database and no worker. Answers with what was logged and recorded.
 *
 * Input: {@link Server}.
 */
import {
  type Attributes,
  DiagLogLevel,
  diag,
  INVALID_SPAN_CONTEXT,
  metrics,
  type Span,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import { ATTR_ERROR_TYPE, ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME } from '../../../semconv.js';
import { shared } from '../../../shared.js';
import { PACKAGE_NAME } from '../../../version.js';
import { answer, readInput } from './answer.js';

export interface Server {
  /** The URL of its runtime. */
  readonly runtime: string;
}

/** What happened. */
export interface Attempted {
  /** Why the runtime could not be imported, or made no service. */
  readonly failure: string | undefined;
  readonly isAttached: boolean;
  /** What this package logged. */
  readonly said: readonly string[];
  /** The operations for which spans ended, in order. */
  readonly recorded: readonly Recorded[];
}

/** How an operation was recorded. */
export interface Recorded {
  readonly operation: string;
  readonly errorType: string | undefined;
}

/** The parts of Paperclip's service and drivers that are called. */
type Operation = (input: object) => unknown;
interface Service {
  getDriver(key: string): { openDuplexChannel?: Operation };
  execute: Operation;
}
interface Runtime {
  environmentRuntimeService(db: object, options: object): Service;
}

// Ends when `doctor` is killed.
process.once('disconnect', () => process.exit());
process.channel?.unref();

const { runtime } = await readInput<Server>();
const said: string[] = [];
const recorded: Recorded[] = [];

diag.setLogger(
  { verbose: hear, debug: hear, info: hear, warn: hear, error: hear },
  { logLevel: DiagLogLevel.DEBUG, suppressOverrideMessage: true },
);
let failure: string | undefined;
try {
  const { environmentRuntimeService }: Runtime = await import(runtime);
  // A preload of the user's may have registered an SDK.
  for (const api of [trace, metrics]) api.disable();
  trace.setGlobalTracerProvider({
    getTracer: () => ({ startSpan, startActiveSpan: () => undefined as never }),
  });
  await useAll(environmentRuntimeService({}, { pluginWorkerManager: { getWorker: () => null } }));
} catch (error) {
  failure = error instanceof Error ? error.message : String(error);
}
answer<Attempted>({ failure, isAttached: shared.attachment.isAttached, said, recorded });

/** Uses leases that the sandbox driver refuses at once: one of no plug-in, and one with incomplete metadata. */
async function useAll(service: Service): Promise<void> {
  const driver = service.getDriver('sandbox');
  const input = (metadata: object) => ({
    environment: { id: 'doctor', driver: 'sandbox' },
    lease: { id: 'doctor', companyId: 'doctor', metadata: { driver: 'sandbox', ...metadata } },
  });
  if (driver.openDuplexChannel === undefined) {
    // Versions before 2026.831.0 have no channels.
    await refused(() => service.execute({ ...input({}), command: 'true' }));
    return;
  }
  for (const metadata of [{}, { sandboxProviderPlugin: true }])
    await refused(() => driver.openDuplexChannel?.({ ...input(metadata), command: ['true'] }));
}

async function refused(operation: () => unknown): Promise<void> {
  try {
    await operation();
  } catch {
    // It is expected to fail.
  }
}

function hear(namespace: string, ...message: unknown[]): void {
  if (namespace === PACKAGE_NAME) said.push(message.join(' '));
}

function startSpan(_name: string, { attributes: atStart = {} }: SpanOptions = {}): Span {
  const attributes: Attributes = { ...atStart };
  const span: Span = {
    spanContext: () => INVALID_SPAN_CONTEXT,
    isRecording: () => true,
    setAttribute: (name, value) => span.setAttributes({ [name]: value }),
    setAttributes: (more) => {
      Object.assign(attributes, more);
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus: () => span,
    updateName: () => span,
    recordException: () => {},
    end: () => {
      const { [ATTR_PAPERCLIP_ENVIRONMENT_OPERATION_NAME]: operation, [ATTR_ERROR_TYPE]: errorType } =
        attributes;
      recorded.push({
        operation: String(operation),
        errorType: typeof errorType === 'string' ? errorType : undefined,
      });
    },
  };
  return span;
}
