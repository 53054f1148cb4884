import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_RECORDS } from '../../src/errors/built-in.js';
import { builtInCatalog, combineCatalogs } from '../../src/errors/catalog.js';
import { classifyLeaseError } from '../../src/errors/classify.js';
import { loadErrorCatalog } from '../../src/errors/load.js';

const UNSUPPORTED = 'Sandbox driver does not support duplex channels for this lease.';
/** Matching takes minutes, and for some patterns centuries, without a limit. The limit is 3 ms, twice; this is for slow machines. */
const GENEROUS_MS = 1000;

const own = (...patterns: string[]) => {
  const { records, problems } = loadErrorCatalog(
    patterns.map((messagePattern, n) => ({
      schemaVersion: 2,
      slug: `own-${n}`,
      messagePattern,
      backgroundTag: 'own',
    })),
  );
  expect(problems).toEqual([]);
  return combineCatalogs({ records, problems }, builtInCatalog);
};

function timed<T>(work: () => T): { result: T; ms: number } {
  const started = performance.now();
  const result = work();
  return { result, ms: performance.now() - started };
}

it.each([
  ['(a+)+$', `${'a'.repeat(40)}!`],
  ['(a|a)*$', `${'a'.repeat(40)}!`],
  ['(a|aa)+$', `${'a'.repeat(60)}!`],
  ['a*a*a*a*b', 'a'.repeat(8192)],
  ['(.*a){20}b', 'a'.repeat(8192)],
  ['(?=(a+)+$)a', `${'a'.repeat(40)}!`],
  ['(a*)*\\1b', 'a'.repeat(8192)],
  ['.*foo.*bar.*baz', 'foobar'.repeat(1365)],
])('the pattern %s holds a server for milliseconds only, and once', (pattern, message) => {
  const catalog = own(pattern, 'quota');
  const warnings: string[] = [];
  const classify = (text: string) =>
    timed(() => classifyLeaseError(new Error(text), catalog, undefined, (warning) => warnings.push(warning)));
  for (let time = 0; time < 20; time += 1) {
    const { result, ms } = classify(message);
    expect(result).toBeUndefined();
    expect(ms).toBeLessThan(GENEROUS_MS);
  }
  expect(warnings).toEqual([
    'error record "own-0": its messagePattern takes too long (more than 3 ms) and is not tried again; the command "catalog check" says more',
  ]);
  expect(classify('quota').result?.slug).toBe('own-1');
});

it('a failure that a built-in record knows is still classified', () => {
  const cause = new Error(UNSUPPORTED);
  const catalog = own('(a+)+$');
  const found = classifyLeaseError(new Error(`${'a'.repeat(40)}!`, { cause }), catalog);
  expect(found?.error).toBe(cause);
});

it('the limit is that of one failure, however many patterns and causes there are', () => {
  const catalog = own(...Array.from({ length: 100 }, (_, n) => `^x${'y'.repeat(n)}?(a+)+$`));
  let error = new Error('outermost');
  for (let n = 0; n < 40; n += 1) error = new Error(`x${'a'.repeat(40 + n)}!`, { cause: error });
  expect(timed(() => classifyLeaseError(error, catalog)).ms).toBeLessThan(GENEROUS_MS);
});

it('an error is read before anything is interrupted', () => {
  let isRead = false;
  const error = {
    message: 'quota',
    get cause() {
      const until = performance.now() + 20;
      while (performance.now() < until);
      isRead = true;
      return undefined;
    },
  };
  expect(classifyLeaseError(error, own('quota'))?.slug).toBe('own-0');
  expect(isRead).toBe(true);
});

describe('whatever an operator writes', () => {
  const atom = fc.constantFrom(
    'a',
    '.',
    '[^b]',
    '\\w',
    'aa',
    '(a)',
    '(a|a)',
    '(?:a|aa|)',
    '(?=a*)',
    '(?<=a+)',
    '\\1',
  );
  const repeat = fc.constantFrom('', '*', '+', '?', '{3}', '{2,3}', '{0,30}', '{5,}', '*?');
  const flat = fc
    .array(fc.tuple(atom, repeat), { minLength: 1, maxLength: 30 })
    .map((units) => units.map(([text, times]) => text + times).join(''));
  const nested = fc
    .tuple(flat, fc.array(fc.tuple(fc.constantFrom('(', '(?:'), atom, repeat), { maxLength: 2 }))
    .map(([inner, levels]) =>
      levels.reduce((text, [open, more, times]) => `${open}${more}${text})${times}`, inner),
    );

  it('a classification takes milliseconds, compiling the pattern included', () => {
    fc.assert(
      fc.property(nested, fc.integer({ min: 1, max: 8192 }), (messagePattern, length) => {
        const record = {
          schemaVersion: 2,
          slug: 'own',
          messagePattern: `${messagePattern}$`,
          backgroundTag: 'own',
        };
        const { records, problems } = loadErrorCatalog([record]);
        const catalog = combineCatalogs({ records, problems }, builtInCatalog);
        const error = new Error(`${'a'.repeat(length)}!`);
        for (let time = 0; time < 3; time += 1)
          expect(timed(() => classifyLeaseError(error, catalog)).ms).toBeLessThan(GENEROUS_MS);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a'.repeat(501), 'is longer than 500 characters'],
    ['((((a))))', 'has groups more than 3 deep'],
    // V8 compiles this one for half a minute.
    [nest(45), 'has groups more than 3 deep'],
  ])('a pattern that takes long to compile is left out: %.20s', (messagePattern, what) => {
    const record = { schemaVersion: 2, slug: 'own', messagePattern, backgroundTag: 'own' };
    expect(loadErrorCatalog([record]).problems.map(({ message }) => message)).toEqual([
      `error catalog: record 0 ("own"): messagePattern: ${what}`,
    ]);
  });

  it.each(['[(((((((]', '\\(\\(\\(\\(\\(\\(', '(((a)))', 'a'.repeat(500)])(
    '%.20s is loaded',
    (messagePattern) => {
      const record = { schemaVersion: 2, slug: 'own', messagePattern, backgroundTag: 'own' };
      expect(loadErrorCatalog([record]).problems).toEqual([]);
    },
  );
});

it('the built-in patterns take no time on the worst messages that their own texts make', () => {
  const texts = BUILT_IN_RECORDS.map(({ messagePattern }) =>
    String(messagePattern).replaceAll(/[\\^$]|\[\^"\]\*/g, ''),
  );
  const messages = texts.flatMap((text) => [text.slice(0, -1), text.slice(0, text.indexOf('"') + 1)]);
  const { ms } = timed(() => {
    for (const text of messages)
      for (const shape of ['plugin_incomplete', 'non_plugin'] as const)
        classifyLeaseError(new Error(text.repeat(8192)), undefined, shape);
  });
  expect(ms / messages.length / 2).toBeLessThan(GENEROUS_MS / 10);
});

it('an error that was classified does not stay in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const catalog = own('quota');
  const classified = () => {
    const error = new Error('something else');
    classifyLeaseError(error, catalog);
    return new WeakRef(error);
  };
  const ref = classified();
  // A reference is kept until the end of the turn in which it was made.
  await sleep(1);
  collect();
  expect(ref.deref()).toBeUndefined();
});

function nest(levels: number): string {
  return `${'(?:a?'.repeat(levels)}a${'){3}'.repeat(levels)}`;
}
