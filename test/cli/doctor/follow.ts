/** Does what a remedy says about variables. */

export type Env = Readonly<Record<string, string>>;

/**
 * @param remedy a sentence with `set NAME=value`, `unset NAME` or `rename NAME to NAME`
 * @returns the environment with all of it done
 * @throws Error where it says nothing that can be done so
 */
export function followVariables(remedy: string, env: Env): Env {
  const done: Record<string, string> = { ...env };
  const rename = /\brename (\w+) to (\w+)/.exec(remedy);
  const unset = /\bunset (\w+)(?: and (\w+))?/.exec(remedy);
  const set = [...remedy.matchAll(/\b(?:set|and) (\w+)=('[^']*'|[^\s;]*[^\s;,])/g)];
  if (rename !== null) {
    const [, from = '', to = ''] = rename;
    done[to] = env[from] ?? '';
    delete done[from];
  } else if (set.length > 0) {
    for (const [, name = '', value = ''] of set) done[name] = value.replaceAll("'", '');
  } else if (unset !== null) {
    for (const name of unset.slice(1)) if (name !== undefined) delete done[name];
  } else throw new Error(`nothing to do: ${remedy}`);
  return done;
}
