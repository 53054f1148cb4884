/** How a probe is told what to do, and how it answers. */
import { text } from 'node:stream/consumers';

/** The message of a probe. Others may send theirs on its channel, such as tsx. */
export interface Message<T> {
  readonly answerOfProbe: T;
}

/** What the probe is told. */
export async function readInput<T>(): Promise<T> {
  return JSON.parse(await text(process.stdin));
}

/** Sends the answer and ends the process, even if something keeps it alive. */
export function answer<T>(answerOfProbe: T): void {
  const message: Message<T> = { answerOfProbe };
  if (process.send === undefined) throw new Error('this is a part of the command `doctor`');
  process.send(message, () => process.exit());
}
