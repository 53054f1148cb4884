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

  it('fits 80 columns: lines are broken between words, and go on below the text', () => {
    const words = 'eight in '.repeat(20).trim();
    const lines = plain(found('longest', problem(words, words)))
      .join('\n')
      .split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(lines[0]).toBe(`✗ longest  ${'eight in '.repeat(7)}eight`);
    for (const line of lines.slice(1, 3)) expect(line).toMatch(/^ {11}(?:in|eight) /);
    expect(lines[3]).toMatch(/^ {11}→ eight in /);
    expect(lines[4]).toMatch(/^ {13}(?:in|eight) /);
    const text = lines.map((line) => line.replace(/^(?:✗ longest)? +(?:→ )?/, '')).join(' ');
    expect(text).toBe(`${words} ${words}`);
  });

  it.each([
    `npm install --prefix /srv/paperclip/with/a/long/path '@opentelemetry/sdk-node@<0.300.0' @opentelemetry/api@1.10`,
    `correct it, and then: npx opentelemetry-instrumentation-paperclip catalog check '/etc/paperclip/errors of ours.json'`,
    `start the server with "npx opentelemetry-instrumentation-paperclip run --start -- npm run start --workspace server", now`,
    `set NODE_OPTIONS='--import=opentelemetry-instrumentation-paperclip/start --max-old-space-size=8192 --no-warnings' now`,
    `see https://collector.example.of.a.company.with.a.name.that.is.long.example.com:4318 now`,
  ])('does not break what is copied: %s', (text) => {
    const [part = ''] = /(?<=")np[^"]*|np[mx] .*|NODE_OPTIONS='.*'|https\S+/.exec(text) ?? [];
    const lines = plain(found('one', problem('wrong', text)))
      .join('\n')
      .split('\n');
    expect(lines.filter((line) => line.includes(part))).toHaveLength(1);
    for (const line of lines) if (!line.includes(part)) expect(line.length).toBeLessThanOrEqual(80);
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
