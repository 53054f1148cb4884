/** Environment variables: how the SDK reads them, and how a shell sets them. */

export type Env = Readonly<NodeJS.ProcessEnv>;

/** @returns the value, not trimmed; nothing where it is blank, which the SDK takes for unset */
export function text(env: Env, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value.trim() === '' ? undefined : value;
}

/** The entries of a comma-separated list. */
export function list(env: Env, name: string): string[] {
  const entries = (env[name] ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

/** A word of a command line, as POSIX shells take it. */
export function quote(word: string): string {
  return /^[\w@%+=:,./\\^-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
