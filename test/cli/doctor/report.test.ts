import { describe, expect, it } from 'vitest';
import { note, ok, problem, skipped } from '../../../src/cli/doctor/check.js';
import { type Found, formatter, summary } from '../../../src/cli/doctor/report.js';

const found = (title: string, finding: Found['finding']): Found => ({ check: { id: title, title }, finding });

describe('a report', () => {
  const plain = formatter(['one', 'longest'], false);

  it('has a sign, the check and what was found on a line, and what to do below', () => {
    expect(plain(found('one', ok('right')))).toEqual(['✓ one      right']);
    expect(plain(found('longest', note('worth knowing')))).toEqual(['• longest  worth knowing']);
    expect(plain(found('one', skipped('not looked at')))).toEqual(['– one      not looked at']);
    expect(plain(found('one', problem('wrong', 'do this')))).toEqual([
      '✗ one      wrong',
      '           → do this',
    ]);
  });

  it('keeps lines of one thing below each other', () => {
    expect(plain(found('one', problem('wrong\nand how', 'do this\nand that')))).toEqual([
      '✗ one      wrong\n           and how',
      '           → do this\n             and that',
    ]);
  });

  it('shows what would control the terminal, and only that, as escapes', () => {
    expect(
      plain(found('longest', problem('a\u001B]0;b\u0007\u009B2J\tc\u202Ed\r\né', 'do\u007F \u2066this'))),
    ).toEqual([
      '✗ longest  a\\u001b]0;b\\u0007\\u009b2J\\u0009c\\u202ed\\u000d\n           é',
      '           → do\\u007f \\u2066this',
    ]);
  });

  it('colours the sign and nothing else', () => {
    expect(formatter(['one'], true)(found('one', problem('wrong', 'do this')))).toEqual([
      '\u001B[31m✗\u001B[0m one  wrong',
      '       → do this',
    ]);
  });

  it.each([
    [[], 'No problem found'],
    [[ok('a'), note('b')], 'No problem found, 1 worth knowing'],
    [[problem('a', 'b'), skipped('c')], '1 problem, 1 skipped'],
    [
      [problem('a', 'b'), problem('c', 'd'), note('e'), skipped('f')],
      '2 problems, 1 worth knowing, 1 skipped',
    ],
  ])('ends with a summary: %j', (findings, text) => {
    expect(summary(findings.map((finding) => found('one', finding)))).toBe(text);
  });
});
