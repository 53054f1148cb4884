/** How commands print: nothing that they quote of files, arguments or the environment controls the terminal. */
import { printable, printableLine } from '../base/text.js';

/** Prints lines; each stays one. */
export function printLines(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  for (const line of lines) stream.write(`${printableLine(line)}\n`);
}

/** Prints a text of several lines. */
export function printText(stream: NodeJS.WriteStream, text: string): void {
  stream.write(`${printable(text)}\n`);
}
