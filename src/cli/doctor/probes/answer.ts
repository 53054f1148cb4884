/** How a probe answers. */
import type { Message } from '../probe.js';

/** Sends the answer, as JSON, and ends the process, whatever keeps it alive. */
export function answer<T>(answerOfProbe: T): void {
  const message: Message<T> = { answerOfProbe };
  if (process.send === undefined) throw new Error('this is a part of the command `doctor`');
  process.send(message, () => process.exit());
}
