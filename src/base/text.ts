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
