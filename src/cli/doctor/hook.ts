/** Check: whether the preload attaches to the server and records, by doing both in a process of its own. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isSwitchedOn } from '../../attach/environment.js';
import { describePackage } from '../../attach/identity.js';
import { runsInThread } from '../../attach/loader.js';
import { IS_BUN } from '../../attach/support.js';
import { installCommand, repairing } from '../installation/command-lines.js';
import { HERE, INSTRUMENTATION, installed, resolveFrom } from '../installation/installed.js';
import { withPreload } from '../installation/run.js';
import { quote } from '../otel/environment.js';
import { type Check, type Finding, ok, problem, REPORT, type Subject, skipped } from './check.js';
import { cleanUpAtExit } from './cleanup.js';
import type { Server } from './locate.js';
import { unmetDemands } from './node.js';
import { canAttach } from './packages.js';
import { isUsable, reinstallOf, updateOf } from './paperclip.js';
import { errorLine, type Probed, runProbe } from './probe.js';
import type { Attempted, Server as Input } from './probes/attach.js';

/** Time limit in milliseconds. Importing the runtime loads most of a server. */
const LIMIT = 90_000;

/** The first sentence of what this package says where it does not attach. */
const NOT_ATTACHED = /^(?:.*Warning: )?(not attached: .*?)(?:\. |$)/m;

type Usable = Server & { readonly runtime: string };

export const hook: Check = {
  id: 'hook',
  title: 'Hook',
  async run(subject) {
    const { server, env } = subject;
    if (!isUsable(server)) return [skipped('there is no Paperclip to attach to')];
    if (IS_BUN || unmetDemands(subject).length > 0)
      return [skipped(IS_BUN ? 'Bun is not supported' : 'this Node.js is not supported')];
    if (!canAttach()) return [skipped('packages are missing')];
    if (!isSwitchedOn(env)) return [skipped('the instrumentation is switched off')];

    const home = temporaryFolder();
    if (typeof home !== 'string') return [home];
    // A process that has just been killed may still be writing.
    const remove = cleanUpAtExit(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
    try {
      const probed = await runProbe<Attempted>('attach', {
        input: { runtime: server.runtime } satisfies Input,
        nodeArgs: preloadsOf(server),
        env: { ...env, ...quiet(home), NODE_OPTIONS: withPreload(env.NODE_OPTIONS, 'register') },
        cwd: subject.folder,
        limit: LIMIT,
      });
      return [judge(probed, server, subject) ?? ok(await describe(probed, server))];
    } finally {
      remove();
    }
  },
};

/** @returns its path, or why there is none */
function temporaryFolder(): string | Finding {
  const parent = tmpdir();
  try {
    return mkdtempSync(join(parent, 'paperclip-doctor-'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return problem(
      `no temporary folder can be made for its process: ${message}`,
      code === 'ENOENT' ? `mkdir -p ${quote(parent)}` : 'set TMPDIR to a folder that this user may write to',
    );
  }
}

/** @returns what is wrong; nothing where all is well */
function judge(
  { answer, stderr, timedOut }: Probed<Attempted>,
  server: Usable,
  { env, preload }: Subject,
): Finding | undefined {
  const unsupported = NOT_ATTACHED.exec(answer?.said.join('\n') ?? '')?.[1];
  if (unsupported !== undefined) return problem(unsupported, updateOf(server));
  // The preload fails before the probe can listen to its warnings.
  const failed = NOT_ATTACHED.exec(stderr)?.[1];
  if (failed !== undefined)
    return problem(
      failed,
      installCommand(HERE, `${INSTRUMENTATION}@${installed(INSTRUMENTATION, HERE)?.version}`),
    );
  if (answer === undefined || answer.failure !== undefined) {
    const why = timedOut
      ? `not done after ${LIMIT / 1000} s`
      : (answer?.failure ?? errorLine(stderr) ?? 'its process ended');
    return problem(
      `${fileURLToPath(server.runtime)} cannot be imported: ${why}`,
      repairing(incompleteIn(why), reinstallOf(server)),
    );
  }
  if (!answer.isAttached) {
    const { name, version } = server.package;
    const found = `not attached: ${name} ${version} has loaded its runtime past the loader hook`;
    const own = withPreload('', preload);
    return env.NODE_OPTIONS === undefined || env.NODE_OPTIONS === own
      ? problem(found, REPORT)
      : problem(`${found}: something else in NODE_OPTIONS brings it`, `set NODE_OPTIONS=${own}`);
  }
  if (answer.recorded.length > 0) return undefined;
  return problem(
    `attached to ${describePackage(server)}, but nothing is recorded: ${answer.said.join(', ')}`,
    REPORT,
  );
}

/** The folder of the package of which a file is missing, by the error of an import. */
function incompleteIn(error: string): string[] {
  const [, folder] =
    /Cannot find module '([^']*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/']+)[\\/]/.exec(error) ?? [];
  return folder !== undefined && existsSync(folder) ? [folder] : [];
}

/** Variables with which the process leaves no file behind and sends nothing. */
function quiet(home: string): NodeJS.ProcessEnv {
  return {
    HOME: home,
    PAPERCLIP_HOME: home,
    PAPERCLIP_LOG_LEVEL: 'silent',
    // A file of variables does not replace an empty one, which counts as unset.
    OTEL_EXPORTER_OTLP_ENDPOINT: '',
    OTEL_TRACES_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  };
}

/** In a repository the packages are TypeScript, which tsx translates. */
function preloadsOf({ package: { folder }, layout }: Server): string[] {
  const tsx = layout === 'workspace' || layout === 'sources' ? resolveFrom('tsx', folder) : undefined;
  return tsx === undefined ? [] : ['--import', pathToFileURL(tsx).href];
}

async function describe({ answer }: Probed<Attempted>, server: Usable): Promise<string> {
  const recorded = answer?.recorded ?? [];
  const place = (await runsInThread()) ? "the server's thread" : 'a thread of their own';
  const types = recorded.map(({ errorType }) => errorType ?? 'a success').join(' and ');
  return `attached to ${describePackage(server)}, with hooks in ${place}; ${recorded[0]?.operation} recorded as ${types}`;
}
