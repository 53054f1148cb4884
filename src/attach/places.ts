/** Where in its packages Paperclip keeps what is patched. */

/** The runtime service and its drivers, in the server's package. */
export const RUNTIME = 'services/environment-runtime';
/** The account that the bridge gives of duplex channels, in `@paperclipai/adapter-utils`. */
export const DUPLEX_OBSERVABILITY = 'duplex-observability';
/** Paperclip's own context of startup steps, in `@paperclipai/adapter-utils`. */
export const STARTUP_TIMING = 'acpx-engine/startup-timing';

const PLACE = new RegExp(
  `/(?:${[RUNTIME, DUPLEX_OBSERVABILITY, STARTUP_TIMING].join('|')})\\.[cm]?[jt]s(?:[?#]|$)`,
);

/**
 * Whether a module may be one of those that are patched. It says nothing about the package yet: that takes a
 * look at the file system, and every module that a process loads is asked this.
 *
 * @param url the module's resolved URL, which may have a query
 */
export function isCandidate(url: string): boolean {
  return PLACE.test(url);
}
