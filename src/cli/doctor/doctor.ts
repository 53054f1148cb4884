/** The command `doctor`: prints the findings of all checks. */
import { resolve } from 'node:path';
import { printable } from '../../base/text.js';
import { PACKAGE_VERSION } from '../../version.js';
import type { Preload, Subject } from './check.js';
import { CHECKS } from './checks.js';
import { diagnose } from './diagnosis.js';
import { preloadOf } from './preload.js';
import { type Found, formatter, summary } from './report.js';

type Where = Omit<Subject, 'server'>;

export interface Options {
  /** Where it is not given, `NODE_OPTIONS` or what is installed tells it. */
  readonly preload?: Preload | undefined;
  readonly json: boolean;
}

/**
 * Checks the installation as this process sees it, and prints the findings.
 *
 * @param server Paperclip's folder or main file, where the user names it
 * @returns whether there is a problem
 */
export async function showFindings(server: string | undefined, { preload, json }: Options): Promise<boolean> {
  const { env } = process;
  const folder = currentFolder();
  const where: Where = {
    env,
    folder,
    preload: preload ?? preloadOf(env, folder),
    target: server === undefined ? undefined : resolve(folder, server),
  };
  const all = await (json ? printJson(where) : printText(where));
  return all.some(({ finding }) => finding.mark === 'problem');
}

/** @throws Error that says what to do */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new Error('this folder is gone: go to the one in which the server is started');
  }
}

async function printText(where: Where): Promise<Found[]> {
  const { stdout } = process;
  const format = formatter(
    CHECKS.map(({ title }) => title),
    stdout.isTTY === true && stdout.hasColors(),
  );
  const all: Found[] = [];
  for await (const found of diagnose(where)) {
    all.push(found);
    stdout.write(`${format(found).join('\n')}\n`);
  }
  stdout.write(`\n${summary(all)}\n`);
  return all;
}

async function printJson(where: Where): Promise<Found[]> {
  const all: Found[] = [];
  for await (const found of diagnose(where)) all.push(found);
  const json = {
    version: PACKAGE_VERSION,
    preload: where.preload,
    findings: all.map(({ check, finding }) => ({ check: check.id, ...finding })),
  };
  process.stdout.write(`${printable(JSON.stringify(json, undefined, 2))}\n`);
  return all;
}
