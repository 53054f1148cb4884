/** Whether there is a Paperclip server, and one that can be instrumented. */
import { dirname } from 'node:path';
import { FIRST_VERSION, isTooOld, PLACEHOLDER_VERSION } from '../../attach/support.js';
import { serverPackages } from '../../config.js';
import { type Check, type Finding, ok, problem, type Subject } from './check.js';
import { installCommand, ownCommand, quote } from './installed.js';
import { locateFork, locateServer, type Server } from './locate.js';

export const paperclip: Check = {
  id: 'paperclip',
  title: 'Paperclip',
  run(subject) {
    const { server } = subject;
    if (server === undefined) return [missing(subject)];
    const { name, version, folder } = server.package;
    const what = `${name} ${version ?? 'of unknown version'} in ${folder}`;
    if (isTooOld(version))
      return [problem(`${what} is not supported: ${FIRST_VERSION} and later are`, updateOf(server))];
    if (server.runtime === undefined)
      return [problem(`${what} has no environment runtime`, updateOf(server))];
    return [ok(`${what} (${channelOf(version)}; layout: ${server.layout}), found ${server.foundBy}`)];
  },
};

/** Whether there is a server that can be attached to; else this check says why not. */
export function isUsable(server: Server | undefined): server is Server & { readonly runtime: string } {
  return server?.runtime !== undefined && !isTooOld(server.package.version);
}

function missing({ env, folder, target }: Subject): Finding {
  const names = serverPackages(env).join(', ');
  const fork = locateFork(target ?? folder);
  if (fork !== undefined) {
    return problem(
      `${fork.folder} is ${fork.name}, which is none of ${names}`,
      `set OTEL_INSTRUMENTATION_PAPERCLIP_PACKAGES=${fork.name}`,
    );
  }
  if (target === undefined) {
    return problem(
      `no ${names} from ${folder} upward, on the PATH, among the global packages or in npx's cache`,
      `${ownCommand("doctor <Paperclip's folder>", folder)}`,
    );
  }
  const elsewhere = locateServer(env, folder, undefined);
  return problem(
    `no ${names} in ${target}`,
    elsewhere === undefined
      ? `npm install --prefix ${quote(target)} ${names}`
      : ownCommand(`doctor ${quote(elsewhere.package.folder)}`, folder),
  );
}

/** The command that updates Paperclip where it is. */
export function updateOf({ package: { name, folder }, layout }: Server): string {
  return layout === 'npm' || layout === 'pnpm'
    ? installCommand(folder, `${name}@latest`)
    : `git -C ${quote(dirname(folder))} pull`;
}

/** Paperclip's channels are marked as prereleases, such as `2026.825.0-canary.5`. */
function channelOf(version: string | undefined): string {
  if (version === undefined || version === PLACEHOLDER_VERSION) return 'a checkout, which says no version';
  return /^\d+\.\d+\.\d+-([a-z]+)/i.exec(version)?.[1] ?? 'stable';
}
