import { expect, it } from 'vitest';
import { explosionOf } from '../../src/cli/catalog/explosion.js';
import { BUILT_IN_RECORDS, partOfMessage } from '../../src/errors/built-in.js';

const TWO_WAYS = 'repeats something that matches one text in two ways, as (a+)+ does';
const NEIGHBOURS = 'has three repetitions side by side that match the same characters, as a*a*a* does';

it.each([
  // OWASP, "Regular expression Denial of Service".
  '^(a+)+$',
  '([a-zA-Z]+)*',
  '(a|aa)+',
  '(a|a?)+',
  '(.*a){20}',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
  // Wikipedia, "ReDoS"; Regular-Expressions.info, "Catastrophic Backtracking"; Cox, "Regular Expression Matching Can Be Simple And Fast".
  '(a|b|ab)*c',
  '(x+x+)+y',
  '^(.*?,){11}P',
  '(?:a?){30}a{30}',
  // Each way of writing it.
  '(a|a)*$',
  '(a*)*',
  '(a?b?c*)*d',
  '(\\w|\\d)+$',
  '^(\\w+\\s?)*$',
  '(a(|))*$',
  '(a(b?|c?))*$',
  '(?=(a+)+$)a',
  '(?<!(a+)+)b',
  '(?<n>a+)+$',
  '(\\d{1,3})+x',
  '([^"]|\\\\.)*"',
  '(a*\\1)*',
  '(a+){2,}b',
  '(?:\\x61|a)*b',
  '([\\u0061-z]|q)*!',
  '(.|\\s)*x',
  '((a)|(a))*b',
])('%s is refused: it repeats in two ways', (pattern) => {
  expect(explosionOf(pattern)).toBe(TWO_WAYS);
});

it.each(['a*a*a*b', '\\s*.*\\s*x', '\\d+\\w*[0-9a-f]*;'])(
  '%s is refused: it takes a cubic time',
  (pattern) => {
    expect(explosionOf(pattern)).toBe(NEIGHBOURS);
  },
);

it.each([
  'quota of .* is used up',
  '^Quota of team .* is used up\\.$',
  'rate limit.*retry after (\\d+) ?s',
  '.*foo.*bar.*baz',
  '^\\s*failed: (.*)$',
  '(ECONNRESET|ETIMEDOUT)',
  '(\\w+\\.)+\\w+',
  '(?:\\d{1,3}\\.){3}\\d{1,3}',
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}',
  '(, [a-z]+)*',
  '(\\d{2})+',
  '(a|b)*c',
  '(?:"[^"\\\\]*(?:\\\\.[^"\\\\]*)*")',
  '(?!foo).*\\bbar\\b',
  '[\\]*+]+x',
  'x{',
  '^$',
])('%s is accepted', (pattern) => {
  expect(explosionOf(pattern)).toBeUndefined();
});

it('no built-in pattern is one of them', () => {
  for (const record of BUILT_IN_RECORDS)
    for (const pattern of [String(record.messagePattern), partOfMessage(record)])
      expect(explosionOf(pattern)).toBeUndefined();
});
