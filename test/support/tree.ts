/** Folders with packages, and Node.js processes that run in them with the built package preloaded. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';

const NAME = 'opentelemetry-instrumentation-paperclip';
/** The package's preloads, by file, because the folders that tests make are outside of it. */
const { resolve } = createRequire(import.meta.url);
const dist = dirname(resolve(`${NAME}/semconv`));
export const REGISTER = join(dist, 'register.js');
export const START = join(dist, 'start.js');
export const REQUIRE = join(dist, 'require.cjs');
/** OpenTelemetry's loader hook as its documentation registers it. */
export const DOCUMENTED_HOOK = moduleRegister(
  pathToFileURL(resolve('@opentelemetry/instrumentation/hook.mjs')).href,
);

function moduleRegister(hook: string): string {
  const code = `import { register } from 'node:module'; register(${JSON.stringify(hook)});`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/**
 * Writes files below a new folder.
 *
 * @param files content by path; objects are written as JSON
 * @returns the folder
 */
export function tree(files: Record<string, string | object>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'paperclip-tree-')));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/**
 * The name of a folder with characters that a URL, a shell, `NODE_OPTIONS` or a reader of it may take for something else. A
 * backslash is not among them: Node.js loads no ES module from such a folder.
 */
export const AWKWARD_NAME = `100% "it's" #1? $HOME & é\n`;
/** What the package needs beside it, for its command and `./register`. */
export const DEPENDENCIES = ['commander', 'zod', '@opentelemetry/api', '@opentelemetry/instrumentation'];

/** The built package in a folder of this name, beside these packages. */
export function installed(name: string, packages: readonly string[]): string {
  const root = join(tree({}), name);
  const folder = join(root, 'node_modules', NAME);
  mkdirSync(join(root, 'node_modules/@opentelemetry'), { recursive: true });
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  for (const dependency of packages)
    symlinkSync(join(process.cwd(), 'node_modules', dependency), join(root, 'node_modules', dependency));
  return folder;
}

/** A package.json of a package with ES modules. */
export function manifest(name: string, version = '2026.916.1'): object {
  return { name, version, type: 'module' };
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** A command that runs Node.js. */
  through?: readonly string[];
  /** Called with all of the standard output whenever there is more. */
  onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs Node.js with these arguments, in an environment with nothing but what is given. */
export function runNode(
  args: readonly string[],
  { cwd, env, through = [], onOutput }: RunOptions = {},
): Promise<Ended> {
  return new Promise((done, fail) => {
    const [command, ...words] = [...through, process.execPath, ...args];
    const child = spawn(command as string, words, {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      onOutput?.(stdout, (signal) => child.kill(signal));
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', fail);
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }));
  });
}
