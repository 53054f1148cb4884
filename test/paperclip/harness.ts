/** Runs scenarios in a child process of their own, on the real server, and reads what they print. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WORKSPACE = import.meta.dirname;
const { version: workspaceNode } = createRequire(import.meta.url)('node/package.json') as { version: string };

/** The two versions of Node.js that everything runs on: the server's own, and the library's oldest line. */
export const NODES = [
  { name: `Node.js ${workspaceNode}`, path: join(WORKSPACE, 'node_modules/node/bin/node') },
  { name: `Node.js ${process.versions.node}`, path: process.execPath },
] as const;

export type Attributes = Record<string, unknown>;

export interface Exported {
  spans: {
    scope: string;
    scopeVersion: string;
    name: string;
    kind: number;
    status: { code: number; message?: string };
    attributes: Attributes;
    events: { name: string; attributes: Attributes }[];
    links: unknown[];
    parent: number | null;
  }[];
  /** Those of operations and leases. */
  metrics: Metric[];
  logs: { attributes: Attributes }[];
}

export interface Metric {
  scope: string;
  name: string;
  unit: string;
  points: unknown[];
}

/** What the caller of an operation saw. */
export interface Seen {
  isPromise: boolean;
  value?: unknown;
  rejected?: { message: string };
  thrown?: { message: string };
}

export interface Step {
  seen: Seen;
  exported: Exported;
  /** Of each exported span, as a process finds it that is told of the span. */
  traceparents: string[];
  otherMetrics: Metric[];
}

export interface Played {
  node: string;
  registeredThrough: string[];
  steps: Record<string, Step>;
  diagnostics: string[];
  /** All that was exported or said, as it is, for searching. */
  everything: string;
}

export interface PlayOptions {
  node: string;
  scenarios: readonly string[];
  /** Whether the instrumentation is preloaded. Default: true. */
  preload?: boolean;
  env?: Record<string, string>;
}

/** Plays the scenarios in one process and returns what it printed. */
export async function play({ node, scenarios, preload = true, env = {} }: PlayOptions): Promise<Played> {
  const home = await mkdtemp(join(tmpdir(), 'paperclip-'));
  const args = ['--import', './host/loader-spy.mjs'];
  if (preload) args.push('--import', 'opentelemetry-instrumentation-paperclip/register');
  args.push('host/play.mjs', ...scenarios);
  try {
    const { stdout, stderr } = await run(node, args, {
      // Nothing of the environment that the tests run in: it may hold variables of OpenTelemetry.
      PATH: process.env.PATH ?? '',
      PAPERCLIP_HOME: home,
      PAPERCLIP_LOG_LEVEL: 'silent',
      ...env,
    });
    const played = JSON.parse(stdout) as Omit<Played, 'everything'>;
    const steps = Object.values(played.steps);
    const everything = [JSON.stringify(steps.map(({ exported }) => exported)), ...played.diagnostics, stderr];
    for (const step of steps) {
      const { metrics } = step.exported;
      step.otherMetrics = metrics.filter((metric) => !isOfOperations(metric));
      step.exported.metrics = metrics.filter(isOfOperations);
      normalise(step.exported);
    }
    return { ...played, everything: everything.join('\n') };
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Runs a script of this workspace to its end, with nothing in its environment but these variables. */
export function run(node: string, args: string[], env: Record<string, string>) {
  return new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
    const options = { cwd: WORKSPACE, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(node, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(new Error(`${error.message}\n${stderr}`));
    });
  });
}

/** The step of that name, or a readable failure. */
export function stepOf(played: Played, name: string): Step {
  const step = played.steps[name];
  if (step === undefined) throw new Error(`no step "${name}" in: ${Object.keys(played.steps).join(', ')}`);
  return step;
}

/** The metrics of operations and leases. What recoveries and channels count may be about several steps. */
function isOfOperations({ name }: Metric): boolean {
  return name.startsWith('paperclip.environment.operation.') || name === 'paperclip.lease.duration';
}

/**
 * Puts one text for what differs from run to run: time spans, and a stack, if it is one of code locations. Of
 * an id, what makes it differ from step to step is left out.
 */
function normalise({ spans, logs }: Exported): void {
  for (const { attributes } of spans) {
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'string') attributes[name] = value.replace(/#\d+$/, '');
    }
    for (const name of ['paperclip.lease.age', 'paperclip.lease.time_to_expiry']) {
      if (typeof attributes[name] === 'number') attributes[name] = '<seconds>';
    }
  }
  for (const { attributes } of [...spans.flatMap(({ events }) => events), ...logs]) {
    const {
      'exception.type': type,
      'exception.message': message,
      'exception.stacktrace': stack,
    } = attributes;
    if (typeof stack !== 'string') continue;
    const [first, ...frames] = stack.split('\n');
    const isPlain = frames.length > 0 && frames.every((frame) => /^ {4}at \S.*:\d+:\d+\)?$/.test(frame));
    if (first === `${type}: ${message}` && isPlain) attributes['exception.stacktrace'] = '<code locations>';
  }
}
