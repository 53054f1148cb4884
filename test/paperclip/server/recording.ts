/**
 * README's recordings of terminals: what one showed in a test. `npm run recordings` writes them; else the test compares them
 * with what it saw.
 */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { read, write } from '../../support/blocks.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = 'README.md';

/**
 * @param name of the block in README
 * @param command what was typed
 * @param lines what was shown, as it may be published
 * @param mask makes the texts of two runs alike
 */
export function expectRecorded(
  name: 'doctor' | 'tail',
  command: string,
  lines: readonly string[],
  mask: (text: string) => string,
): void {
  const recording = ['```console', `$ ${command}`, ...lines, '```'].join('\n');
  if (process.env.RECORD === '1') write(ROOT, { [PAGE]: { [name]: recording } });
  expect(mask(read(ROOT, PAGE, name)), 'npm run recordings').toEqual(mask(recording));
}
