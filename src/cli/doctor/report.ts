/**
 * How findings are printed: the text in a column of its own, and the remedy below it. No line is longer than 80 columns,
 * unless one word is, or a command to copy.
 */
import { printable } from '../../base/text.js';
import type { Check, Finding, Mark } from './check.js';

/** A finding, and its check. */
export interface Found {
  readonly check: Pick<Check, 'id' | 'title'>;
  readonly finding: Finding;
}

const SIGNS: Readonly<Record<Mark, string>> = { ok: '✓', note: '•', problem: '✗', skipped: '–' };
/** SGR codes of ECMA-48. */
const COLOURS: Readonly<Record<Mark, number>> = { ok: 32, note: 36, problem: 31, skipped: 2 };

/** The columns of a line. */
const WIDTH = 80;
/** A command to copy stands in quotation marks, or at the end of a line. */
const COMMAND = '(?:cd|git|mkdir|node|npm|npx|pnpm|yarn) ';
/** What is not broken: a command, a quoted value, and a word. */
const UNBROKEN = new RegExp(`"${COMMAND}[^"]*"\\S*|(?<=^|: )${COMMAND}.*$|\\w+='[^']*'\\S*|\\S+`, 'g');

/** Breaks a text between words. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    for (const [part] of line.matchAll(UNBROKEN)) {
      const last = lines.at(-1);
      if (last !== undefined && `${last} ${part}`.length <= width)
        lines[lines.length - 1] = `${last} ${part}`;
      else lines.push(part);
    }
    return lines;
  });
}

/**
 * @param titles of all checks: the widest sets the width of the column
 * @param colours whether the terminal shows colours
 * @returns a function from a finding to its lines
 */
export function formatter(titles: readonly string[], colours: boolean): (found: Found) => string[] {
  const width = Math.max(...titles.map(({ length }) => length));
  return ({ check, finding }) => {
    const { mark } = finding;
    const indent = width + 4;
    const column = (text: string, at: number) =>
      wrap(printable(text), WIDTH - at).join(`\n${' '.repeat(at)}`);
    const sign = colours ? `\u001B[${COLOURS[mark]}m${SIGNS[mark]}\u001B[0m` : SIGNS[mark];
    const lines = [`${sign} ${check.title.padEnd(width)}  ${column(finding.found, indent)}`];
    if (finding.mark === 'problem')
      lines.push(`${' '.repeat(indent)}→ ${column(finding.remedy, indent + 2)}`);
    return lines;
  };
}

/** The last line. */
export function summary(all: readonly Found[]): string {
  const count = (mark: Mark) => all.filter(({ finding }) => finding.mark === mark).length;
  const problems = count('problem');
  const notes = count('note');
  return [
    problems === 0 ? 'No problem found' : `${problems} problem${problems === 1 ? '' : 's'}`,
    ...(notes > 0 ? [`${notes} worth knowing`] : []),
    ...(count('skipped') > 0 ? [`${count('skipped')} skipped`] : []),
  ].join(', ');
}
