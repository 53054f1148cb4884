/** What `run` makes of NODE_OPTIONS. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { REGISTER, START } from '../support/tree.js';

// As it is built: preloads are known by their files.
const { withPreload } = await import(pathToFileURL(resolve('dist/cli/installation/run.js')).href);

const importOf = (preload: string) => `--import=${pathToFileURL(preload).href}`;
const [register, start] = [importOf(REGISTER), importOf(START)];

it.each([
  ['the preload is all there is', undefined, 'register', register],
  ['other options stay as they are', '--title="a b"  -r x', 'register', `--title="a b"  -r x ${register}`],
  ['none is added to the same', register, 'register', register],
  ['none is added to one by path', `--import "${REGISTER}"`, 'register', `--import "${REGISTER}"`],
  ['./register is not added to ./start', start, 'register', start],
  ['./start replaces ./register', `${register} --no-warnings`, 'start', `--no-warnings ${start}`],
  ['./start replaces itself', start, 'start', start],
])('%s', (_, options, entry, expected) => {
  expect(withPreload(options, entry)).toBe(expected);
});
