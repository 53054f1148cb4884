import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyLeaseError } from 'opentelemetry-instrumentation-paperclip';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_RECORDS } from '../../src/errors/built-in.js';
/**
 * Every message that is thrown with `new Error` in the two files that the catalog is about, with its gaps as
 * they are written there, and those of the three error classes: of all packages that were published from
 * 2026.427.0, the first with these files, to 2026.916.1, and are still complete on npm (29 of them).
 */
import messages from './messages.json' with { type: 'json' };

const FILES = ['environment-runtime.js', 'plugin-environment-driver.js'];
const SERVICES = join(import.meta.dirname, 'node_modules/@paperclipai/server/dist/services');

/** What may stand in a gap. */
const NAMES = [
  'environment-1',
  '',
  'two words: and/more',
  'a line\nand another',
  '11111111-2222-3333-4444-555555555555',
];

/** What a message is recognised as, with each of the names in its gaps. */
function classified(message: string) {
  const filled = NAMES.map((name) => message.replaceAll(/\$\{[^}]*\}/g, name));
  return filled.map((text) => classifyLeaseError(new Error(text)));
}

function tagsOf(message: string): Set<string | undefined> {
  return new Set(classified(message).map((found) => found?.backgroundTag));
}

describe('the built-in catalog, over all published versions of the server', () => {
  test.each(messages['unsupported-driver-operation'])('calls unsupported: %s', (message) => {
    expect(tagsOf(message)).toEqual(new Set(['unsupported-driver-operation']));
  });

  test.each(messages['missing-metadata-field'])('calls a field missing: %s', (message) => {
    expect(tagsOf(message)).toEqual(new Set(['missing-metadata-field']));
  });

  test.each(messages.other)('leaves alone: %s', (message) => {
    expect(tagsOf(message)).toEqual(new Set([undefined]));
  });

  test('has no record that none of them throws', () => {
    const thrown = new Set(
      Object.values(messages)
        .flat()
        .flatMap(classified)
        .map((found) => found?.slug),
    );
    expect(BUILT_IN_RECORDS.map(({ slug }) => slug).filter((slug) => !thrown.has(slug))).toEqual([]);
  });

  test.each(FILES)('was asked for every message of %s in the version that is installed here', (file) => {
    const source = readFileSync(join(SERVICES, file), 'utf8');
    const written = [...source.matchAll(/\bnew Error\(\s*(?:`([^`]*)`|"([^"]*)"|([A-Z_]+))/g)];
    expect(written.length).toBe(source.split('new Error(').length - 1);
    const texts = written.map(
      ([, template, text, constant]) => template ?? text ?? constantIn(source, constant),
    );
    const known = Object.values(messages).flat();
    expect(texts.filter((text) => !known.includes(text))).toEqual([]);
    expect(texts).not.toEqual([]);
  });
});

/** The text of a constant that a message was moved to. */
function constantIn(source: string, constant = ''): string {
  return source.match(new RegExp(`const ${constant} = "([^"]*)"`))?.[1] ?? `${constant} was not found`;
}
