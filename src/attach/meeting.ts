/** Tells, once, that the runtime of a server has been met in this process. */

const waiting: (() => void)[] = [];

/** @param listener called when a runtime is met from now on */
export function whenMet(listener: () => void): void {
  waiting.push(listener);
}

/** A runtime has been met. */
export function met(): void {
  for (const listener of waiting.splice(0)) listener();
}
