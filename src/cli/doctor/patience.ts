/** How long an exporter waits for an answer, as the variables have it. */
import { type Signal, text, variable } from './exporters.js';

type Env = Readonly<NodeJS.ProcessEnv>;

/** A time limit that is set. */
export interface Patience {
  /** The variable that sets it. */
  readonly name: string;
  /** In milliseconds. */
  readonly limit: number;
}

/** Those of a signal, the one that decides first; nothing where the default, 10 seconds, is left. */
export function patienceOf(env: Env, signal: Signal): readonly Patience[] {
  return [signal, undefined]
    .map((one) => variable(one, 'TIMEOUT'))
    .map((name) => ({ name, limit: Number(text(env, name)) }))
    .filter(({ limit }) => Number.isFinite(limit) && limit > 0);
}
