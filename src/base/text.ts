/** Small things about text that several rooms need. */

/** The entries of a comma-separated list, as environment variables hold it. */
export function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The names in a sentence. */
export function inWords(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

/** The text as a regular expression that matches it alone. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Characters that move the cursor of a terminal, change its colours or the order of letters; but not line breaks. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Escapes control characters as JSON does, except line breaks. For what is printed and may quote texts of others. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for a text that is one line: line breaks are escaped too. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n');
}
