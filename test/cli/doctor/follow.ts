/** Does what a remedy says about variables. */

export type Env = Readonly<Record<string, string>>;

/** Changes of an endpoint that is not written out. */
const CHANGES: readonly [RegExp, (endpoint: string, ...how: string[]) => string][] = [
  [
    /let (\w+) begin with (https?:\/\/)/,
    (endpoint, scheme) => endpoint.replace(/^(?:[\w+.-]*:?\/\/)?/, scheme),
  ],
  [/change the port in (\w+) to (\d+)/, (endpoint, port) => Object.assign(new URL(endpoint), { port }).href],
  [
    /change the path in (\w+) to (\S+)/,
    (endpoint, pathname) => Object.assign(new URL(endpoint), { pathname }).href,
  ],
  [/take the path out of (\w+)/, (endpoint) => Object.assign(new URL(endpoint), { pathname: '' }).href],
  [/take (\/v1\/\w+) out of (\w+)/, (endpoint, path) => endpoint.replace(new RegExp(`${path}/?$`), '')],
  [/set (\w+) without the white space/, (endpoint) => endpoint.trim()],
];

/**
 * @param remedy a sentence with `set NAME=value`, `unset NAME`, `rename NAME to NAME`, or changes of endpoints
 * @returns the environment with all of it done
 * @throws Error where it says nothing that can be done so
 */
export function followVariables(remedy: string, env: Env): Env {
  const done: Record<string, string> = { ...env };
  const rename = /\brename (\w+) to (\w+)/.exec(remedy);
  const unset = /\bunset (\w+)(?: and (\w+))?/.exec(remedy);
  let isChanged = false;
  for (const [pattern, change] of CHANGES) {
    const [, ...words] = pattern.exec(remedy) ?? [];
    const name = words.find((word) => word.startsWith('OTEL_'));
    if (name === undefined) continue;
    done[name] = change(done[name] ?? '', ...words.filter((word) => word !== name));
    isChanged = true;
  }
  const set = [...remedy.matchAll(/\b(?:set|and) (\w+)=('[^']*'|[^\s;]*[^\s;,])/g)];
  if (rename !== null) {
    const [, from = '', to = ''] = rename;
    done[to] = env[from] ?? '';
    delete done[from];
  } else if (set.length > 0) {
    for (const [, name = '', value = ''] of set) done[name] = value.replaceAll("'", '');
  } else if (unset !== null) {
    for (const name of unset.slice(1)) if (name !== undefined) delete done[name];
  } else if (!isChanged) throw new Error(`nothing to do: ${remedy}`);
  return done;
}
