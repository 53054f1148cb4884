/** The object in which all copies of `@opentelemetry/api` in a process meet. The API has no question for it. */

/** The number is the API's major version (`internal/global-utils` of the API). */
const GLOBAL = Symbol.for('opentelemetry.js.api.1');

/** What is registered there, through whichever copy. */
export interface Registered {
  readonly version?: string;
  readonly diag?: object;
  readonly trace?: object;
  readonly metrics?: object;
}

export function registered(): Registered {
  return (globalThis as { [GLOBAL]?: Registered })[GLOBAL] ?? {};
}
