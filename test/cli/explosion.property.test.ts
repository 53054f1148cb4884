import { Script } from 'node:vm';
import fc from 'fast-check';
import { it } from 'vitest';
import { explosionOf } from '../../src/cli/catalog/explosion.js';

const { pattern } = fc.letrec<{ pattern: string; unit: string }>((tie) => ({
  pattern: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.array(tie('unit'), { minLength: 1, maxLength: 3 }).map((units) => units.join('')),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}|${other}`),
    },
  ),
  unit: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(
        fc.constantFrom('a', 'b', '[ab]', '.', '', 'ab'),
        fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '*?'),
      )
      .map(([text, repeat]) => (text === '' ? '' : text + repeat)),
    fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?='),
        tie('pattern'),
        fc.constantFrom('', '*', '+', '?', '{2}', '{2,}', '{0,4}', '+?'),
      )
      .map(([open, inner, repeat]) => `${open}${inner})${repeat}`),
  ),
}));

/** All words of one to three letters. */
const WORDS = ['a', 'b', 'aa', 'ab', 'ba', 'aab', 'aba', 'abb', 'baa', 'bab', 'bba'];

it('a pattern that is accepted gives up on every repeated word, where one that is not can take years', () => {
  fc.assert(
    fc.property(pattern, (source) => {
      fc.pre(explosionOf(source) === undefined);
      const anchored = new RegExp(`^(?:${source})$`);
      for (const word of WORDS) {
        const text = `${word.repeat(60).slice(0, 48)}!`;
        new Script(`${anchored}.test(${JSON.stringify(text)})`).runInThisContext({ timeout: 5000 });
      }
    }),
    { numRuns: 300 },
  );
});
