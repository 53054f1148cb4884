/** How a probe answers. */

/** The message of a probe. Others may send theirs on its channel, such as tsx. */
export interface Message<T> {
  readonly answerOfProbe: T;
}

/** Sends the answer and ends the process, even if something keeps it alive. */
export function answer<T>(answerOfProbe: T): void {
  const message: Message<T> = { answerOfProbe };
  if (process.send === undefined) throw new Error('this is a part of the command `doctor`');
  process.send(message, () => process.exit());
}
