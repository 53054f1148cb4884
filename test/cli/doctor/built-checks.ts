/** Checks as they are built: their processes run files of `dist`. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Check, Finding, Subject } from '../../../src/cli/doctor/check.js';
import { locateServer } from '../../../src/cli/doctor/locate.js';
import { tree } from '../../support/tree.js';
import type { Env } from './follow.js';

async function built(name: 'collector' | 'copies' | 'hook' | 'sdk'): Promise<Check> {
  const module = await import(pathToFileURL(resolve(`dist/cli/doctor/${name}.js`)).href);
  return module[name];
}

export const SDK = await built('sdk');
export const COLLECTOR = await built('collector');
export const COPIES = await built('copies');
export const HOOK = await built('hook');

/** @param env beside what every process needs */
export async function look(
  check: Check,
  env: Env,
  subject: Partial<Subject> = {},
): Promise<readonly Finding[]> {
  const base = { PATH: process.env.PATH ?? '' };
  return check.run({
    preload: 'start',
    server: undefined,
    folder: tree({}),
    ...subject,
    env: { ...base, ...env },
  });
}

/** Looks at the server that is found from a folder. */
export async function lookIn(check: Check, folder: string, env: Env, preload: Subject['preload']) {
  return look(check, env, { folder, preload, server: locateServer(env, folder, undefined) });
}
