/** How findings are printed: a line each, and the remedy below it. */
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

/**
 * @param titles of all checks: the widest sets the width of the column
 * @param colours whether the terminal shows colours
 * @returns a function from a finding to its lines
 */
export function formatter(titles: readonly string[], colours: boolean): (found: Found) => string[] {
  const width = Math.max(...titles.map(({ length }) => length));
  return ({ check, finding }) => {
    const { mark } = finding;
    const found = printable(finding.found);
    const sign = colours ? `\u001B[${COLOURS[mark]}m${SIGNS[mark]}\u001B[0m` : SIGNS[mark];
    const indent = ' '.repeat(width + 4);
    const lines = [`${sign} ${check.title.padEnd(width)}  ${found.replaceAll('\n', `\n${indent}`)}`];
    if (finding.mark === 'problem')
      lines.push(`${indent}→ ${printable(finding.remedy).replaceAll('\n', `\n${indent}  `)}`);
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
