/** Options as Node.js reads them in `NODE_OPTIONS` and on its command line. */

/**
 * A file's URL to write into `NODE_OPTIONS`. The URL standard escapes all that Node.js reads there as more than itself: spaces,
 * double quotes and backslashes. Other readers know single quotes, too: `pino` (`lib/transport.js`) cuts the word at one and
 * starts its worker thread with the rest, which Node.js refuses where an option such as `--title` is there as well.
 */
export function urlForOptions(file: URL): string {
  return file.href.replaceAll("'", '%27');
}

/** An option that loads a module before the program. */
export interface ModuleOption {
  readonly flag: '--import' | '--require';
  readonly specifier: string;
  /** One word with `=`, else two. */
  readonly words: 1 | 2;
}

/** The words of `NODE_OPTIONS`, still quoted. */
export function wordsOf(options: string): string[] {
  return options.match(/(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/g) ?? [];
}

/** A word as Node.js reads it: spaces are kept in double quotes, where a backslash escapes the next character. */
export function unquote(word: string): string {
  return word.replaceAll(/"((?:\\.|[^"\\])*)"?/g, (_, quoted: string) => quoted.replaceAll(/\\(.)/g, '$1'));
}

/**
 * @param word an option as Node.js reads it
 * @param next the word after it
 */
export function moduleOption(word: string, next: string | undefined): ModuleOption | undefined {
  const written = /^(--import|--require|-r)(?:=(.*))?$/s.exec(word);
  if (written === null) return undefined;
  const flag = written[1] === '--import' ? '--import' : '--require';
  if (written[2] !== undefined) return { flag, specifier: written[2], words: 1 };
  return next === undefined ? undefined : { flag, specifier: next, words: 2 };
}

/**
 * The words without the options that load certain modules.
 *
 * @param isDropped says which options go
 * @param read unquotes a word
 */
export function dropModules(
  words: readonly string[],
  isDropped: (option: ModuleOption) => boolean,
  read: (word: string) => string = (word) => word,
): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const next = words[at + 1];
    const option = moduleOption(read(words[at] as string), next && read(next));
    if (option !== undefined && isDropped(option)) at += option.words - 1;
    else kept.push(words[at] as string);
  }
  return kept;
}

/** `NODE_OPTIONS` without the options that load certain modules. */
export function withoutModules(options: string, isDropped: (option: ModuleOption) => boolean): string {
  const written = wordsOf(options);
  const kept = dropModules(written, isDropped, unquote);
  return kept.length === written.length ? options : kept.join(' ');
}
