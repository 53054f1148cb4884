/** Copies of real installations, what `doctor` finds in them, and its remedies, followed. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

interface Installations {
  readonly tarball: string;
  /** The folder with the command pnpm. */
  readonly bin: string;
  readonly nodes: Readonly<Record<'18' | '20' | '24', string>>;
  /** Projects with Paperclip, OpenTelemetry JS 0.221 and this package. */
  readonly npm: string;
  readonly npmBeforeDuplex: string;
  readonly pnpm: string;
  /** Paperclip's repository, without this package. */
  readonly docker: string;
  readonly checkout: string;
  /** Projects with OpenTelemetry JS 0.221 and 0.301 and this package, without Paperclip. */
  readonly otel2: string;
  readonly otel3: string;
}

if (process.env.DOCTOR_INSTALLATIONS === undefined)
  throw new Error('node test/doctor/run.mjs makes the installations, and runs these tests');
/** What must not be changed. */
export const INSTALLATIONS: Installations = JSON.parse(process.env.DOCTOR_INSTALLATIONS);

export type Env = Readonly<Record<string, string>>;

/** Nothing has to be there that receives anything. */
export const CONSOLE: Env = {
  OTEL_TRACES_EXPORTER: 'console',
  OTEL_METRICS_EXPORTER: 'console',
  OTEL_LOGS_EXPORTER: 'console',
};

const NAME = 'opentelemetry-instrumentation-paperclip';
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'doctor-')));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** An empty folder. */
export function emptyFolder(): string {
  return mkdtempSync(join(scratch, 'folder-'));
}

/** A copy of an installation, of hard links: a file of it is replaced, and never written into. */
export function copyOf(installation: string): string {
  const folder = join(emptyFolder(), 'project');
  execFileSync('cp', ['-al', installation, folder]);
  // npm writes into these.
  for (const path of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json']) {
    if (!existsSync(join(folder, path))) continue;
    rmSync(join(folder, path));
    copyFileSync(join(installation, path), join(folder, path));
  }
  return folder;
}

/** Puts a package of one installation into a folder of another. */
export function putPackage(from: string, name: string, to: string): void {
  cpSync(join(from, 'node_modules', name), join(to, 'node_modules', name), { recursive: true });
}

export interface Finding {
  readonly check: string;
  readonly mark: 'ok' | 'note' | 'problem' | 'skipped';
  readonly found: string;
  readonly remedy?: string;
}

export interface Report {
  readonly code: number | null;
  readonly preload: string;
  readonly findings: readonly Finding[];
}

export interface Case {
  /** The project that has this package. */
  readonly installation: string;
  /** Where the command is called; the installation's folder where it is not given. */
  readonly cwd?: string;
  /** Nothing else is in the environment but what every process needs. */
  readonly env?: Env;
  readonly args?: readonly string[];
  /** The Node.js that runs it; the one that Paperclip asks for where it is not given. */
  readonly node?: string;
}

/** Runs the `doctor` of the package in an installation. */
export async function doctor({
  installation,
  cwd = installation,
  env = CONSOLE,
  args = [],
  node = INSTALLATIONS.nodes[24],
}: Case): Promise<Report> {
  const main = join(installation, 'node_modules', NAME, 'dist/cli/main.js');
  const child = spawn(node, [main, 'doctor', '--json', ...args], { cwd, env: { ...baseOf(node), ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (stdout === '') throw new Error(`ended with ${code}: ${stderr}`);
  return { code, ...JSON.parse(stdout) };
}

export function problemsOf({ findings }: Report): Finding[] {
  return findings.filter(({ mark }) => mark === 'problem');
}

/**
 * Does what a remedy says: sets a variable, installs a Node.js, or runs a command line, word for word.
 *
 * @returns the case that is left to look at
 */
export function follow(remedy: string | undefined, { env = CONSOLE, ...others }: Case): Case {
  if (remedy === undefined) throw new Error('there is no remedy');
  const [, name, value] = /\bset ([A-Z_]+)=('[^']*'|\S*)/.exec(remedy) ?? [];
  if (name !== undefined && value !== undefined)
    return { ...others, env: { ...env, [name]: value.replaceAll("'", '') } };
  if (/^install Node\.js 24\./.test(remedy)) return { ...others, env, node: INSTALLATIONS.nodes[24] };
  const node = others.node ?? INSTALLATIONS.nodes[24];
  const { status, stderr } = spawnSync('sh', ['-c', remedy], {
    cwd: others.cwd ?? others.installation,
    env: {
      // The network may need it.
      ...process.env,
      ...baseOf(node),
      ...env,
      // As the installations were made: without the optional dependencies, which are large.
      npm_config_omit: 'optional',
      npm_config_ignore_scripts: 'true',
    },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`"${remedy}" ended with ${status}: ${stderr}`);
  return { ...others, env };
}

export function baseOf(node: string): Env {
  // The home keeps npm's own settings and cache.
  return {
    PATH: `${dirname(node)}:${INSTALLATIONS.bin}:${process.env.PATH}`,
    HOME: process.env.HOME ?? scratch,
  };
}
